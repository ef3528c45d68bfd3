import { describe, expect, it } from 'vitest';
import { LiveOutput } from './live-output.ts';

function liveOutput(intervalMs: number) {
  const emitted: string[] = [];
  const state = { line: '' };
  const live = new LiveOutput({ emit: (text) => emitted.push(text), unfinishedLine: () => state.line, intervalMs });
  return { live, emitted, state };
}

const NEVER = 1_000_000;

describe('LiveOutput', () => {
  it('emits the first text at once and joins what follows', () => {
    const { live, emitted } = liveOutput(NEVER);
    for (const text of ['a\n', 'b\n', 'c\n']) live.push(text);
    expect(emitted).toEqual(['a\n']);
    live.flush();
    expect(emitted).toEqual(['a\n', 'b\nc\n']);
  });

  it('shows an unfinished line and later only what was added to it', () => {
    const { live, emitted, state } = liveOutput(0);
    state.line = 'Name';
    live.push('');
    state.line = 'Name: ';
    live.push('');
    state.line = '';
    live.push('Name: me\n');
    expect(emitted).toEqual(['Name', ': ', 'me\n']);
  });

  it('starts a new line when the shown one was redrawn', () => {
    const { live, emitted, state } = liveOutput(0);
    state.line = '10%';
    live.push('');
    state.line = '20%';
    live.push('');
    expect(emitted).toEqual(['10%', '\n20%']);
  });

  it('bounds each delta and names what it leaves out', () => {
    const { live, emitted } = liveOutput(NEVER);
    live.push('first\n');
    for (let count = 0; count < 1000; count++) live.push(`${'x'.repeat(99)}\n`);
    live.push('last\n');
    live.flush();
    expect(emitted[1]!.length).toBeLessThan(17_000);
    expect(emitted[1]).toMatch(/^\n\.\.\. \[\d+ characters not shown\] \.\.\.\nx+\n[^]*last\n$/);
  });

  it('emits nothing when there is nothing new', () => {
    const { live, emitted } = liveOutput(0);
    live.push('a\n');
    live.flush();
    live.flush();
    expect(emitted).toEqual(['a\n']);
  });

  it('redraws the line in its place once the user types, at their pace', () => {
    const { live, emitted, state } = liveOutput(0);
    state.line = '$ ls';
    live.push('');
    live.attend();
    state.line = '$ l';
    live.push('');
    live.flush();
    state.line = '';
    live.push('$ l\nfile\n');
    live.flush();
    expect(emitted).toEqual(['$ ls', '\r$ l', '\nfile\n']);
  });

  it('goes on with the whole line below a remark', () => {
    const { live, emitted, state } = liveOutput(0);
    state.line = 'Name: ';
    live.push('');
    live.remark('[waits]');
    state.line = 'Name: me';
    live.push('');
    expect(emitted).toEqual(['Name: ', '\n[waits]\n', 'Name: me']);
  });
});
