import { Writable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createOutput } from './output.ts';

/** What was written, in order, with the name of where to. */
function openOutput() {
  const log: string[] = [];
  const stream = (name: string) =>
    new Writable({
      decodeStrings: false,
      write(text: string, _encoding, done) {
        log.push(`${name} ${text}`);
        done();
      },
    }) as unknown as NodeJS.WriteStream;
  const output = createOutput({ stdout: stream('out'), stderr: stream('err') });
  output.beforeAnswer = () => log.push('before');
  return { output, log };
}

describe('the output', () => {
  it('writes together what comes together, and says so before', async () => {
    const { output, log } = openOutput();
    for (const word of ['One ', 'two ', 'three ']) {
      await Promise.resolve(output.answer(word));
    }
    expect(log).toEqual([]);
    await setImmediate();
    expect(log).toEqual(['before', 'out One two three ']);
  });

  it('knows when it is drained that the last words could not be written', async () => {
    const stdout = new Writable({
      write(_text, _encoding, done) {
        done(Object.assign(new Error('no space'), { code: 'ENOSPC' }));
      },
    }) as unknown as NodeJS.WriteStream;
    const output = createOutput({ stdout, stderr: stdout });
    void output.answer('One');
    await output.drained();
    expect([output.failure?.message, output.closed.aborted]).toEqual(['no space', true]);
  });

  it('writes much at once', () => {
    const { output, log } = openOutput();
    void output.answer('x'.repeat(100_000));
    expect(log.length).toBe(2);
  });

  it('keeps the order of answer and messages, and of the end', async () => {
    const { output, log } = openOutput();
    void output.answer('One');
    output.note('a message');
    void output.answer('Two');
    void output.endAnswer();
    await output.drained();
    expect(log).toEqual(['before', 'out One', 'err a message\n', 'before', 'out Two\n']);
    // Nothing waits any more.
    await output.drained();
    expect(log.length).toBe(5);
  });
});
