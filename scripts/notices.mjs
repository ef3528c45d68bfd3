/** Collects the licences of the packages whose code the bundle contains, from the bundle's own list of inputs. */

import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const PACKAGE = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//;

/** Throws for a package without a licence text: its code must not be distributed. */
export function collectNotices(root, { inputs }) {
  const folders = new Set(Object.keys(inputs).flatMap((path) => PACKAGE.exec(path)?.[1] ?? []));
  const notices = [...folders].sort().map((folder) => describe(join(root, folder)));
  const head = 'Castor is licensed under the Apache License 2.0. The program contains code of these packages:\n';
  return [head, ...new Set(notices)].join('\n');
}

function describe(folder) {
  const { name, version, license, author } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((entry) => /^(licen[cs]e|copying)([-.].*)?$/i.test(entry));
  const text =
    file === undefined
      ? [`License: ${license}`, ...authorOf(author)].join('\n')
      : readFileSync(join(folder, file), 'utf8').trim();
  if (file === undefined && license === undefined)
    throw new Error(`castor: ${name} has no license; it cannot be bundled.`);
  return `${'-'.repeat(80)}\n${name} ${version}\n\n${text}\n`;
}

function authorOf(author) {
  const name = typeof author === 'object' ? author.name : author;
  return name === undefined ? [] : [`Copyright: ${name}`];
}
