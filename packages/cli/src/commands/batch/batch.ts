/** `castor batch`: many prompts, each in a process and a worktree of its own. Maps each sub-command to its file. */

import { ExitCode } from '../../exit-codes.ts';
import { homeDirectory } from '../../home-directory.ts';
import type { Output } from '../../output.ts';
import type { Interruption } from '../../signals.ts';
import { tellSubcommands } from '../tell-usage.ts';
import type { BatchContext } from './batch-context.ts';

const USAGE = `Usage: castor batch run <tasks.jsonl|tasks.csv> [options] [-- flags of castor]
       castor batch run --prompt "Fix {{file}}" --over 'src/**/*.ts' [options]
       castor batch run --prompt "Update {{repo}}" --repos repositories.txt [options]
       castor batch list
       castor batch status|watch|results|logs|resume|retry|cancel|clean [<batch>] …

  run       runs every task as its own process in its own worktree or clone
  list      lists the batches
  status    shows how far a batch is
  watch     shows it until it ends
  results   prints the results, one JSON object on each line
  logs      shows what a task wrote: castor batch logs <batch> <task>
  resume    goes on with a batch that was interrupted
  retry     runs tasks again: castor batch retry <batch> [<task> …]; without names all
            that did not succeed
  cancel    ends a batch; the tasks that had not ended are cancelled
  clean     deletes an ended batch with its files

Options of run (also of resume and retry where they make sense):
  --concurrency <n>      tasks at once (default 4), of all batches of this machine together
  --prompt <text>        the prompt of every task without one
  --over <pattern>       one task for each file that matches
  --repos <file>         one task for each line: a git URL or a folder, and a ref
  --check <command>      decides whether the work of a task is good, such as "npm test"
  --tries <n>            attempts for each task (default 1)
  --model <name>         the model of every task without one
  --schema <file>        the JSON schema of every answer
  --ref <ref>            the commit every task begins with (default HEAD)
  --in-place             works in the folder itself; for tasks that only read
  --max-cost <dollars>   over all tasks
  --max-tokens <count>   over all tasks
  --max-time <duration>  no task starts after it: 90s, 30m, 8h
  --task-cost, --task-tokens, --task-turns, --task-time
                         the limits of one task
  --env <names>          variables that every task needs, separated by commas
  --name <text>          a title for lists
  --priority <n>         batches of a higher one go first (default 0)
  --apply <kind>         of each success: branch, patch or pr-body
  --keep                 leaves the worktrees of ended tasks
  -o <format>            text, jsonl (a result as soon as it is there) or json

Options of every command:
  --queue <address>      batches on a server instead of this machine: redis://host:6379 or
                         postgres://user@host/database; default: the variable CASTOR_QUEUE.
                         castor worker runs their tasks, on any number of machines
With --queue, run also knows:
  --detach               prints the id of the batch and ends; the tasks run without it
  --artifacts <place>    where the files of ended tasks go: a folder that all machines see,
                         or "git" for refs of the repository of each task

A task in JSONL: {"id", "prompt", "folder" or "repo", "ref", "model", "schema", "files", "env",
"limits": {"time", "cost", "tokens", "turns"}, "check", "tries", "labels", "priority"}. In CSV, every
further column fills {{column}} in the prompt. Flags behind -- go to castor, such as -- -y.
<batch> is an id of the list, or its beginning; without one, the newest.

Ctrl+C starts no further task and lets running ones finish; a second one interrupts them.
Exit codes: 0 every task succeeded · 1 a task did not · 42 invalid tasks · 54 disk full
            56 budget spent · 130 interrupted, to be resumed
More: docs/batch.md
`;

type Run = (argv: readonly string[], context: BatchContext) => Promise<ExitCode>;

const COMMANDS: Readonly<Record<string, () => Promise<Run>>> = {
  run: async () => (await import('./batch-run.ts')).runBatch,
  resume: async () => (await import('./batch-run.ts')).resumeBatch,
  retry: async () => (await import('./batch-run.ts')).retryBatch,
  list: async () => (await import('./batch-show.ts')).listBatches,
  status: async () => (await import('./batch-show.ts')).showStatus,
  watch: async () => (await import('./batch-show.ts')).watchBatch,
  results: async () => (await import('./batch-show.ts')).printResults,
  logs: async () => (await import('./batch-show.ts')).printLogs,
  cancel: async () => (await import('./batch-change.ts')).cancelBatch,
  clean: async () => (await import('./batch-change.ts')).cleanBatch,
};

export async function runBatchCommand(
  [name = '', ...argv]: readonly string[],
  output: Output,
  interruption: Interruption,
): Promise<ExitCode> {
  const end = argv.indexOf('--');
  const own = end === -1 ? argv : argv.slice(0, end);
  const told = await tellSubcommands([name, ...own], USAGE, output);
  if (told !== undefined) return told;
  const load = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!load) {
    output.note(`castor: unknown command castor batch "${name}".\n\n${USAGE}`);
    return ExitCode.Failure;
  }
  const run = await load();
  const { openContext } = await import('./batch-context.ts');
  const { problemOf } = await import('./batch-problem.ts');
  const { takeQueue } = await import('./batch-words.ts');
  let context: BatchContext | undefined;
  try {
    const { queue, rest } = takeQueue(argv, process.env);
    context = await openContext({
      ...{ output, interruption, queue, cwd: process.cwd(), home: homeDirectory(process.env) },
      ...{ environment: process.env, program: [process.execPath, process.argv[1] ?? ''] },
    });
    return await run(rest, context);
  } catch (error) {
    const problem = problemOf(error);
    if (!problem) throw error;
    output.note(`castor: ${problem.message}`);
    return problem.exitCode;
  } finally {
    await context?.engine.close();
  }
}
