/**
 * Measured program: a command that prints 10 MB, in lines, on one line, or in lines with a character that makes the
 * engine store two bytes for each. Prints how far the process's peak memory exceeds its size before; the peak counts
 * from process start, so the figure is never too small.
 */

import { createCaller, openWorkspace } from './workspace.mjs';

const COMMANDS = {
  lines: 'seq 1 1450000',
  wide: 'seq 1 1450000 && echo ✓',
  line: "head -c 10485760 /dev/zero | tr '\\0' x",
};

const [, , root, home, kind] = process.argv;
const agent = await openWorkspace({ root, home });
const call = createCaller(agent, home);
await call('run_shell_command', { command: 'echo ready' });
const idleMb = process.memoryUsage.rss() / 2 ** 20;
const started = performance.now();
const { response } = await call('run_shell_command', { command: COMMANDS[kind] });
const wallMs = performance.now() - started;
const peakMb = process.resourceUsage().maxRSS / 1024;
if (response.outputFile === undefined) throw new Error('The whole output was not kept.');
await agent.dispose();
process.stdout.write(JSON.stringify({ idleMb, peakMb, aboveMb: peakMb - idleMb, wallMs }));
