/**
 * `npm run bench`: measures the program against floors in the same run, so that the ratios are comparable on any
 * machine. `npm run bench -- tools` measures one group, and a number sets the rounds. No test judges the results.
 */

import { startModel } from './bench/processes.mjs';
import { measureBatch } from './bench/batch-rows.mjs';
import { measureEditors } from './bench/editor-rows.mjs';
import { measureMcp } from './bench/mcp-rows.mjs';
import { measureProviders } from './bench/provider-rows.mjs';
import { measureSandbox } from './bench/sandbox-rows.mjs';
import { measureStart } from './bench/start-rows.mjs';
import { print } from './bench/table.mjs';
import { measureTools } from './bench/tool-rows.mjs';
import { measureTui } from './bench/tui-rows.mjs';
import { measureTurns } from './bench/turn-rows.mjs';
import { measureUndo } from './bench/undo-rows.mjs';

const GROUPS = {
  start: measureStart,
  turns: measureTurns,
  tools: measureTools,
  tui: measureTui,
  providers: measureProviders,
  mcp: measureMcp,
  batch: measureBatch,
  undo: measureUndo,
  sandbox: measureSandbox,
  editors: measureEditors,
};

const args = process.argv.slice(2);
const names = args.filter((arg) => Object.hasOwn(GROUPS, arg));
const [given, ...unknown] = args.filter((arg) => !Object.hasOwn(GROUPS, arg));
const rounds = given === undefined ? undefined : Number(given);
if (unknown.length > 0 || (rounds !== undefined && !(Number.isInteger(rounds) && rounds > 0))) {
  process.stderr.write(`usage: npm run bench -- [${Object.keys(GROUPS).join('|')}]… [rounds]\n`);
  process.exit(2);
}

process.stdout.write(`Node ${process.versions.node}\n\n`);
for (const name of names.length > 0 ? names : Object.keys(GROUPS)) {
  const model = await startModel();
  try {
    const { notes, rows } = await GROUPS[name](model, rounds);
    print(notes, rows);
  } finally {
    model.stop();
  }
}
