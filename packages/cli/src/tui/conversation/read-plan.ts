/** Renders a plan as rows for reading, before the user decides on it, and counts its steps. */

import { readFile } from 'node:fs/promises';
import { getErrorMessage } from '@castor/core';
import { countOf } from '@castor/core/program';
import { sanitize } from '../../sanitize.ts';
import { renderMarkdown } from '../render/markdown-stream.ts';
import type { MarkdownOptions } from '../render/markdown-stream.ts';

export interface ReadPlan {
  readonly rows: readonly string[];
  /** `7 steps`; empty where it has none. */
  readonly facts: string;
}

const LONGEST = 200_000;
/** A numbered line, or one with a box to tick; not one inside another. */
const STEP = /^(?:\d+[.)]|[-*] \[[ xX]\]) /gm;

export async function readPlan(path: string, options: MarkdownOptions): Promise<ReadPlan> {
  try {
    const text = await readFile(path, 'utf8');
    const rows = renderMarkdown(sanitize(text.slice(0, LONGEST)), options);
    const steps = text.match(STEP)?.length ?? 0;
    const facts = steps === 0 ? '' : countOf(steps, 'step');
    const isCut = text.length > LONGEST;
    return { rows: isCut ? [...rows, options.styles.warning(`… the plan continues in ${path}`)] : rows, facts };
  } catch (error) {
    return { rows: [options.styles.error(`The plan could not be read: ${getErrorMessage(error)}`)], facts: '' };
  }
}
