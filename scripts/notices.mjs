/** Collects the licences of the packages whose code, and of the data that the bundle contains, from its list of inputs. */

import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Data that is copied into a source file, and its licence beside this script. */
const DATA = { file: 'catalogue/models-data.ts', licence: 'models-dev-licence.txt' };

const PACKAGE = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//;

/** Throws for a package without a licence text: its code must not be distributed. */
export function collectNotices(root, { inputs }) {
  const folders = new Set(Object.keys(inputs).flatMap((path) => PACKAGE.exec(path)?.[1] ?? []));
  const notices = [...folders].sort().map((folder) => describe(join(root, folder)));
  if (Object.keys(inputs).some((path) => path.endsWith(DATA.file))) notices.push(describeData(root));
  const head =
    'Castor is licensed under the Apache License 2.0. The program contains code of these packages, and data:\n';
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

function describeData(root) {
  const text = readFileSync(join(root, 'scripts', DATA.licence), 'utf8').trim();
  return `${'-'.repeat(80)}\nmodels.dev, the facts about models\n\n${text}\n`;
}

function authorOf(author) {
  const name = typeof author === 'object' ? author.name : author;
  return name === undefined ? [] : [`Copyright: ${name}`];
}
