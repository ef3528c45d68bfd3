/** `castor extensions new` and `validate`: begin an extension from a template, and check one before it is published. */

import { existsSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { ExtensionError, findProblems, makeDirectory, readManifest } from '@castor/core/program';
import { TEMPLATES } from './extension-templates.ts';

/** Returns the sentences. Throws an ExtensionError for an existing path or an unknown template. */
export function createExtension(path: string, template: string | undefined, cwd: string): string[] {
  const folder = resolve(cwd, path);
  if (existsSync(folder)) throw new ExtensionError(`Path already exists: ${folder}`);
  if (template !== undefined && !Object.hasOwn(TEMPLATES, template)) {
    throw new ExtensionError(`Unknown template ${template}. Templates: ${Object.keys(TEMPLATES).join(', ')}.`);
  }
  const name =
    basename(folder)
      .replaceAll(/[^A-Za-z0-9-]+/g, '-')
      .replaceAll(/^-+|-+$/g, '') || 'extension';
  const files = template === undefined ? {} : TEMPLATES[template]!;
  const manifest = { name, version: '1.0.0', ...files.manifest };
  makeDirectory(folder, 0o755);
  writeFileSync(join(folder, 'gemini-extension.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  for (const [file, text] of Object.entries(files.files ?? {})) {
    makeDirectory(dirname(join(folder, file)), 0o755);
    writeFileSync(join(folder, file), text);
  }
  const made = template === undefined ? '' : ` from template ${template}`;
  return [
    `Successfully created new extension${made} at ${folder}.`,
    `You can install this using "castor extensions link ${path}" to test it out.`,
  ];
}

export interface Validation {
  errors: string[];
  warnings: string[];
}

/** Throws an ExtensionError where there is no readable manifest. */
export async function validateExtension(path: string, cwd: string): Promise<Validation> {
  const folder = resolve(cwd, path);
  const { version, contextFileNames = [] } = readManifest(folder, cwd);
  const errors = contextFileNames
    .filter((name) => !existsSync(join(folder, name)))
    .map(
      (name) => `The context file ${join(folder, name)} does not exist. Create it, or remove it from contextFileName.`,
    );
  const isSemver = /^\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?$/.test(version);
  const warnings = isSemver ? [] : [`Version "${version}" is not in semver form, such as 1.0.0.`];
  return { errors: [...errors, ...(await findProblems(folder))], warnings };
}
