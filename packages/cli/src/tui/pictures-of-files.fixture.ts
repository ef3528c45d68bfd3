/** The list after `@` for the golden pictures: a folder on the disk, listed, matched and read as the program does it. */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { systemClock } from '@castor/core';
import { createFileCompletion } from './completion/file-completion.ts';
import { FileFacts } from './completion/file-facts.ts';
import { createFileIndex } from './completion/file-index.ts';
import { menuRows } from './components/menu-rows.ts';
import type { Suggestion } from './input/completion-provider.ts';
import type { DrawComponent } from './pictures-of-questions.fixture.ts';

const CONTENT: Readonly<Record<string, string>> = {
  'src/cart.ts': 'line\n'.repeat(21),
  'src/api/checkout.ts': 'line\n',
  'src/api/catalogue.ts': 'line\n'.repeat(4),
  'docs/a-name-that-is-too-long-for-the-column/picture-of-the-cart.png': 'x'.repeat(1_200_000),
};
const QUERY = 'ca';

async function findAll(): Promise<readonly Suggestion[]> {
  const root = mkdtempSync(join(tmpdir(), 'castor-pictures-'));
  for (const [path, content] of Object.entries(CONTENT)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  const index = createFileIndex({ root, clock: systemClock });
  const completion = createFileCompletion(index, { facts: new FileFacts(root, systemClock) });
  const { signal } = new AbortController();
  const target = { start: 1, end: 3, query: QUERY };
  try {
    // Until all files are listed and read.
    for (;;) {
      const { items, improved } = await completion.complete(target, signal);
      if (improved === undefined) return items;
      await improved;
    }
  } finally {
    index.dispose();
    rmSync(root, { recursive: true });
  }
}

const found = await findAll();

export const FILES: DrawComponent = (styles, width) => {
  const shown = { hiddenAbove: 0, hiddenBelow: 0, isLoading: false, detail: [], isCut: false, query: QUERY };
  return menuRows({ ...shown, items: found, activeIndex: 1 }, width + 1, styles);
};
