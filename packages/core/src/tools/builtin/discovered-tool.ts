/**
 * Provides the tools of a project: one command lists their declarations, another runs
 * them. The caller has checked that the folder is trusted and passes the environment, so
 * that it contains none of our keys.
 */

import type { FunctionDeclaration } from '../../protocol/content.ts';
import { getErrorMessage, isAbortError, ToolError } from '../../protocol/errors.ts';
import type { DefinedTool, ToolResult } from '../../protocol/tools.ts';
import { defineTool } from '../define-tool.ts';
import { runChild } from '../run-child.ts';
import type { ChildGuard, ChildOutcome } from '../run-child.ts';
import type { Confine } from '../../util/invocation.ts';
import { splitCommand } from '../split-command.ts';

const PREFIX = 'discovered_tool_';
const MAX_OUTPUT_BYTES = 10 * 1024 * 1024;
const DISCOVERY_TIMEOUT_MS = 60_000;
const CALL_TIMEOUT_MS = 600_000;
/** The service's limit for a tool's name, prefix included. */
const MAX_NAME_LENGTH = 64;

export interface DiscoveredToolDependencies {
  /** `tools.discoveryCommand`: prints a JSON array of function declarations. */
  discoveryCommand: string;
  /** `tools.callCommand`: gets the tool's name as its last argument and the arguments as JSON on stdin. */
  callCommand: string;
  cwd: string;
  env: Readonly<Record<string, string>>;
  guard?: ChildGuard;
  confine?: Confine | undefined;
}

/**
 * Throws ToolError of type discovered_tool_execution_error when the command fails or
 * prints invalid output. It leaves out a tool that cannot be offered and passes the reason
 * to `onLeftOut`.
 */
export async function discoverTools(
  dependencies: DiscoveredToolDependencies,
  signal: AbortSignal,
  onLeftOut?: (sentence: string) => void,
): Promise<DefinedTool[]> {
  const { discoveryCommand, cwd, env, guard, confine } = dependencies;
  const timeoutMs = DISCOVERY_TIMEOUT_MS;
  const run = await runCommand(splitCommand(discoveryCommand), { cwd, env, guard, confine, signal, timeoutMs });
  if (run.outcome.code !== 0) {
    const reason = run.outcome.ended ?? run.outcome.stderr.trim();
    throw failure(`Tool discovery failed (exit code ${run.outcome.code ?? 'none'}): ${reason || 'no message'}`);
  }
  const names = new Set<string>();
  return readDeclarations(run.stdout).flatMap((declaration) => {
    const name = String(declaration.name ?? '');
    const problem = names.has(name) ? 'the name is taken' : problemOfName(name);
    if (problem !== undefined) {
      onLeftOut?.(`The project's tool ${JSON.stringify(name.slice(0, MAX_NAME_LENGTH))} was skipped: ${problem}.`);
      return [];
    }
    names.add(name);
    return [createDiscoveredTool(declaration, name, dependencies)];
  });
}

function problemOfName(name: string): string | undefined {
  if (!/^[A-Za-z_][\w.:-]*$/.test(name)) return 'a name consists of letters, digits and _ . : -, a letter first';
  const longest = MAX_NAME_LENGTH - PREFIX.length;
  return name.length > longest ? `a name has ${longest} characters at most` : undefined;
}

/** Accepts declarations, or tools that contain them, in either spelling. */
function readDeclarations(text: string): FunctionDeclaration[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw failure(`Tool discovery did not print JSON: ${getErrorMessage(error)}`, error);
  }
  if (!Array.isArray(value)) throw failure('Tool discovery did not print a JSON array of function declarations.');
  return value.flatMap((entry: unknown) => {
    if (typeof entry !== 'object' || entry === null) return [];
    const { functionDeclarations, function_declarations } = entry as Record<string, unknown>;
    const nested = functionDeclarations ?? function_declarations;
    return (Array.isArray(nested) ? nested : [entry]) as FunctionDeclaration[];
  });
}

function createDiscoveredTool(
  declaration: FunctionDeclaration,
  name: string,
  { callCommand, cwd, env, guard, confine }: DiscoveredToolDependencies,
): DefinedTool {
  const words = splitCommand(callCommand);
  const { description = '' } = declaration;
  return defineTool({
    name: `${PREFIX}${name}`,
    displayName: name,
    kind: 'other',
    description,
    schema: toSchema(declaration),
    isOutputMarkdown: false,
    describe: (params) => JSON.stringify(params),
    confirm: async () => ({ type: 'info', title: `Confirm ${name}`, prompt: `Run the project's tool "${name}".` }),
    async execute(params, { signal, onPid }) {
      const run = await runCommand([...words, name], {
        cwd,
        env,
        guard,
        confine,
        signal,
        timeoutMs: CALL_TIMEOUT_MS,
        input: JSON.stringify(params),
        onPid,
      });
      const { code, stderr } = run.outcome;
      if (code === 0 && stderr === '') return { llmContent: run.stdout, returnDisplay: run.stdout };
      return toFailedResult(run);
    },
  });
}

function toSchema({ parametersJsonSchema, parameters }: FunctionDeclaration): Record<string, unknown> {
  const schema: unknown = parametersJsonSchema ?? parameters;
  return typeof schema === 'object' && schema !== null
    ? (schema as Record<string, unknown>)
    : { type: 'object', properties: {} };
}

interface CommandRun {
  outcome: ChildOutcome;
  stdout: string;
}

interface RunOptions {
  cwd: string;
  env: Readonly<Record<string, string>>;
  guard: ChildGuard | undefined;
  confine: Confine | undefined;
  signal: AbortSignal;
  timeoutMs: number;
  input?: string;
  onPid?: (pid: number) => void;
}

async function runCommand(words: readonly string[], options: RunOptions): Promise<CommandRun> {
  const [command, ...args] = words;
  if (command === undefined) throw failure('The command is empty.');
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    const outcome = await runChild({
      command,
      args,
      ...options,
      env: { ...options.env, ...options.guard?.prepare() },
      onStdout(chunk) {
        size += chunk.length;
        if (size > MAX_OUTPUT_BYTES) return false;
        chunks.push(chunk);
        return true;
      },
    });
    if (outcome.ended === 'enough')
      throw failure(`The output of "${command}" is larger than ${MAX_OUTPUT_BYTES} bytes.`);
    return { outcome, stdout: Buffer.concat(chunks).toString('utf8') };
  } catch (error) {
    if (error instanceof ToolError || isAbortError(error)) throw error;
    throw failure(`"${command}" could not be started: ${getErrorMessage(error)}`, error);
  }
}

function toFailedResult({ outcome, stdout }: CommandRun): ToolResult {
  const { code, signal, stderr, ended } = outcome;
  const message = [
    `Stdout: ${stdout || '(empty)'}`,
    `Stderr: ${stderr || '(empty)'}`,
    `Error: ${ended === 'timeout' ? 'the tool took too long' : '(none)'}`,
    `Exit Code: ${code ?? '(none)'}`,
    `Signal: ${signal ?? '(none)'}`,
  ].join('\n');
  return {
    llmContent: message,
    returnDisplay: message,
    error: { message, type: 'discovered_tool_execution_error' },
  };
}

function failure(message: string, cause?: unknown): ToolError {
  return new ToolError(message, 'discovered_tool_execution_error', cause === undefined ? {} : { cause });
}
