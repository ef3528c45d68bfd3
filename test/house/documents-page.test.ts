import * as core from '@castor/core';
import { describe, expect, it } from 'vitest';
import { documentedNames, exportedNames } from './exported-names.ts';

describe('docs/documents.md', () => {
  it('lists only names that @castor/core exports', async () => {
    const exported = new Set(await exportedNames('packages/core/src/index.ts'));
    const names = await documentedNames();
    expect(names.length).toBeGreaterThan(80);
    expect(names.filter((name) => !exported.has(name))).toEqual([]);
  });

  it('lists every class and function of the documents that this project exports as a value', async () => {
    const names = new Set(await documentedNames());
    const documented = Object.keys(core).filter((name) => /^(Turn|Gemini|BatchTurn|BufferedTurn|RealTime)/.test(name));
    expect(documented.filter((name) => !names.has(name))).toEqual([]);
  });
});
