import { describe, expect, it } from 'vitest';
import { findSelfSignal, parseCommand } from './parsed-command.ts';

const SELF = { pid: 4242, name: 'node', commandLine: 'node /opt/castor/castor.cjs -p restart server.js' };

describe('parseCommand', () => {
  it.each([
    ['ls -la', ['ls']],
    ['cd a && npm test | tee log', ['cd', 'npm', 'tee']],
    ['FOO=1 /usr/bin/env bash -c "x"', ['env']],
    ['git add . ; git commit -m "a; b"', ['git']],
    ['for f in *; do wc "$f"; done', ['wc']],
    ['echo "$(whoami)"', ['echo', 'whoami']],
    ['a "$(b `c`)" <(d) ${x:-$(e)} $((1+$(f)))', ['a', 'b', 'c', 'd', 'e', 'f']],
    ['a <<EOF\n$(b)\nEOF', ['a', 'b']],
  ])('names the programs of %s', async (command, names) => {
    expect((await parseCommand(command)).rootCommands).toEqual(names);
  });

  it('names something also for what is no command line', async () => {
    expect((await parseCommand('"unterminated')).rootCommands).toHaveLength(1);
  });

  it.each([
    ['server & echo ok', true],
    ['(server &)', true],
    ['a && b || c', false],
    ['echo "a & b" 2>&1 &>log', false],
  ])('knows whether %s leaves a job', async (command, leavesJobs) => {
    expect((await parseCommand(command)).leavesJobs).toBe(leavesJobs);
  });
});

describe('findSelfSignal', () => {
  it.each([
    'pkill -f node',
    'pkill node',
    'sudo pkill -9 -f server.js',
    'killall node',
    'killall -9 node',
    'kill 4242',
    'kill -9 4242',
    'kill -9 -1',
    'echo x; pkill -f "castor" || true',
    'pkill -x node',
    'kill $(pgrep node)',
    'kill -9 `pidof node`',
    'pgrep -f castor | xargs kill -9',
  ])('refuses %s', async (command) => {
    expect(findSelfSignal(await parseCommand(command), SELF)).toMatch(/kill|pgrep|pidof/);
  });

  it.each([
    'pkill -f webpack',
    'pkill server.js',
    'killall python',
    'kill 4241',
    'kill -1 77',
    'pkill -x nod',
    'echo pkill node',
    'kill $(lsof -t -i:3000)',
    'kill $(pgrep python)',
    'pgrep node',
  ])('lets %s pass', async (command) => {
    expect(findSelfSignal(await parseCommand(command), SELF)).toBeUndefined();
  });
});
