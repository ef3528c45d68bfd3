/**
 * Loads `ui.theme` from the path of a JSON file: only below the user's home, by its real path, and only if it is small.
 */

import { readFileSync, realpathSync, statSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { getErrorMessage } from '@castor/core';
import { isInside } from '@castor/core/program';
import type { ThemeChoice } from './theme.ts';

const MOST_BYTES = 64 * 1024;

/** A name that is a path, not the name of a theme. */
export function isThemePath(name: string): boolean {
  return /[\\/]/.test(name) || name.toLowerCase().endsWith('.json');
}

/** The theme of the file, or a sentence on why it is unusable. */
export function readThemeFile(given: string, home: string): ThemeChoice | { problem: string } {
  const path = resolve(home, given.replace(/^~(?=$|[\\/])/, '.'));
  try {
    const real = realpathSync(path);
    if (!isInside(real, realpathSync(home)))
      return { problem: `The theme ${path} was ignored: it is outside your home folder.` };
    const { size } = statSync(real);
    if (size > MOST_BYTES) return { problem: `The theme ${path} was ignored: it is larger than 64 KiB.` };
    const value = JSON.parse(readFileSync(real, 'utf8')) as unknown;
    const name = nameIn(value) ?? basename(path, '.json');
    return { name, customThemes: { [name]: value } };
  } catch (error) {
    return { problem: `The theme ${path} is not readable: ${getErrorMessage(error)}` };
  }
}

function nameIn(value: unknown): string | undefined {
  const name = typeof value === 'object' && value !== null && 'name' in value ? value.name : undefined;
  return typeof name === 'string' && name !== '' ? name : undefined;
}
