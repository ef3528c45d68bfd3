import { fault } from '@castor/testkit';
import { describe, it } from 'vitest';
import { openTerminal } from './open-terminal.ts';

describe('the terminal UI with --debug', () => {
  it('shows what led to a failed turn, without harm to the screen', { tags: 'wide' }, async () => {
    await using env = await openTerminal({ script: [fault(400)], args: ['--debug'], columns: 100, rows: 40 });
    env.terminal.type('my question\r');
    await env.terminal.waitForText(/debug: The turn failed after 1 attempt, status 400/);
    env.terminal.type('typed after it');
    await env.terminal.waitForText('typed after it');
  });
});
