/** Renders a plan as rows for reading, before the user decides on it. */

import { readFile } from 'node:fs/promises';
import { getErrorMessage } from '@castor/core';
import { sanitize } from '../../sanitize.ts';
import { renderMarkdown } from '../render/markdown-stream.ts';
import type { MarkdownOptions } from '../render/markdown-stream.ts';

const LONGEST = 200_000;

export async function readPlan(path: string, options: MarkdownOptions): Promise<string[]> {
  try {
    const text = await readFile(path, 'utf8');
    const rows = renderMarkdown(sanitize(text.slice(0, LONGEST)), options);
    return text.length > LONGEST ? [...rows, options.styles.warning(`… the plan continues in ${path}`)] : rows;
  } catch (error) {
    return [options.styles.error(`The plan could not be read: ${getErrorMessage(error)}`)];
  }
}
