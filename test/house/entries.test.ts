import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { documentedNames, exportedNames, passedOnFiles, toNames } from './exported-names.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const MAIN = 'packages/core/src/index.ts';
const PROGRAM = 'packages/core/src/program.ts';

/** Names for embedding programs that, in this repository, only the cli happens to import. */
const PRODUCT = [
  ...['ALLOW_EVERYTHING', 'Agent', 'AgentOptions', 'GeminiChatOptions', 'HookLayer', 'TelemetrySettings'],
  ...['WorkspaceAgent', 'WorkspaceAgentOptions', 'SystemPromptError', 'LoadedContext', 'ModelConfigError', 'UserHints'],
  ...['FileReferences', 'ResolvedReference', 'Source', 'SourceKind', 'computeSources', 'GEMINI_CATALOGUE'],
  ...['IgnoreRules', 'BackgroundProcess', 'ShellOutcome', 'TerminalDisplay', 'TerminalSink', 'TerminalSize'],
  ...[
    'PolicyEngine',
    'PolicyEngineOptions',
    'loadPolicies',
    'LoadedPolicies',
    'PolicyLoaderOptions',
    'PolicyFileError',
  ],
  ...['PolicyRule', 'ApprovalMode', 'BudgetError', 'BudgetLimits', 'SessionMetrics'],
  ...['openSession', 'OpenedSession', 'listSessions', 'SessionSummary', 'SessionError'],
  ...['getPendingItems', 'FallbackQuestion', 'PendingCall', 'ShownResult', 'ToolCallView', 'TranscriptItem'],
  ...['Transcript', 'TranscriptStore', 'TelemetrySettingsError', 'TelemetryContext', 'TelemetryPort', 'openTelemetry'],
  ...['ContentGenerator', 'DebugLevel', 'estimateTokenCount', 'systemClock', 'AnswerFormat', 'AnswerSchemaError'],
];

/** Of each name imported from an entry, the files that import it. */
function importsOf(entry: string): Map<string, string[]> {
  const imported = new Map<string, string[]>();
  const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '*.ts', '*.tsx', '*.mjs', '*.md'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  const statement = new RegExp(`(?:import|export)(?: type)? \\{([^}]*)\\} from '${entry}'`, 'g');
  const dynamic = new RegExp(`\\{([^{}]*)\\}[^{}]*await [^;]*import\\('${entry}'\\)`, 'g');
  for (const file of files.trim().split('\n')) {
    const text = readFileSync(join(ROOT, file), 'utf8');
    for (const [, list] of [...text.matchAll(statement), ...text.matchAll(dynamic)]) {
      for (const each of toNames(list ?? '')) {
        const name = each
          .replace(/^type /, '')
          .split(/ as |:/)[0]!
          .trim();
        imported.set(name, [...(imported.get(name) ?? []), file]);
      }
    }
  }
  return imported;
}

/** Tests drive the cli: they are no use of their own. */
/** The bench measures the program and its parts. */
const isCli = (file: string) => ['packages/cli/', 'test/', 'scripts/bench/'].some((place) => file.startsWith(place));

describe('the entries of @castor/core', () => {
  it('the main entry holds no name that only the cli uses, unless it is documented or product', async () => {
    const contract = (await Promise.all((await passedOnFiles(MAIN)).map(exportedNames))).flat();
    const allowed = new Set([...(await documentedNames()), ...contract, ...PRODUCT]);
    const imported = importsOf('@castor/core');
    const ofCliAlone = (await exportedNames(MAIN)).filter((name) => imported.get(name)?.every(isCli));
    expect(ofCliAlone.length).toBeGreaterThan(20);
    expect(ofCliAlone.filter((name) => !allowed.has(name))).toEqual([]);
  });

  it('names each product once, and exports it', async () => {
    const exported = await exportedNames(MAIN);
    expect(PRODUCT.filter((name) => !exported.includes(name))).toEqual([]);
    expect(PRODUCT.filter((name, index) => PRODUCT.indexOf(name) !== index)).toEqual([]);
  });

  it('the program entry holds only names that the cli uses, and none of the main entry', async () => {
    const imported = importsOf('@castor/core/program');
    const main = await exportedNames(MAIN);
    const program = await exportedNames(PROGRAM);
    expect(program.length).toBeGreaterThan(50);
    expect(program.filter((name) => main.includes(name))).toEqual([]);
    expect(program.filter((name) => !imported.get(name)?.some(isCli))).toEqual([]);
  });

  it('only the cli and tests import the program entry', () => {
    const users = [...importsOf('@castor/core/program').values()].flat();
    expect(users.filter((file) => !isCli(file))).toEqual([]);
  });
});
