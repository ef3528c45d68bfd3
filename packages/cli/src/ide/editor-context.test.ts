import { isRecord } from '@castor/core/program';
import { describe, expect, it } from 'vitest';
import { readContext } from './editor-context.ts';

const file = (path: string, timestamp: number, more: object = {}) => ({ path, timestamp, ...more });
const read = (openFiles: unknown, more: object = {}) => readContext({ workspaceState: { openFiles, ...more } })!;

describe('the context of an editor', () => {
  it('is the active file with cursor and selection, and the others newest first', () => {
    const active = { isActive: true, cursor: { line: 3, character: 1 }, selectedText: 'let' };
    expect(read([file('/old', 1), file('/new', 9, active), file('/mid', 5)]).state).toEqual({
      activeFile: { path: '/new', cursor: { line: 3, character: 1 }, selectedText: 'let' },
      otherOpenFiles: ['/mid', '/old'],
    });
  });

  it('has ten files at most, and only the newest may be active', () => {
    const files = Array.from({ length: 30 }, (_, index) => file(`/${index}`, index, { isActive: index < 29 }));
    const { state } = read(files);
    expect(state.activeFile).toBeUndefined();
    expect(state.otherOpenFiles).toHaveLength(10);
    expect(state.otherOpenFiles?.[0]).toBe('/29');
  });

  it('cuts a long selection', () => {
    const { state } = read([file('/a', 1, { isActive: true, selectedText: 'x'.repeat(20_000) })]);
    expect(state.activeFile?.selectedText).toHaveLength(16_384 + '... [TRUNCATED]'.length);
  });

  it('may have no file', () => {
    for (const none of [{}, { workspaceState: {} }, { workspaceState: { openFiles: [] } }])
      expect(readContext(none)).toEqual({ state: {}, isTrusted: undefined });
  });

  it.each([['x'], [null], [{}], [[1, null, {}, { path: 7 }]]])('is not what has another shape: %j', (wrong) => {
    expect(readContext({ workspaceState: { openFiles: wrong } })).toBeUndefined();
    if (!isRecord(wrong)) expect(readContext({ workspaceState: wrong })).toBeUndefined();
  });

  it('says whether the folder is trusted', () => {
    expect(read([], { isTrusted: false }).isTrusted).toBe(false);
    expect(read([], { isTrusted: 'yes' }).isTrusted).toBeUndefined();
  });
});
