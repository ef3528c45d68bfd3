/**
 * Lint rules, and the arrows of ARCHITECTURE.md as three tables: which rooms a room may import from. A room that a row
 * does not name is closed to it, so a new room begins with no imports. test/house/arrows.test.ts proves the rows.
 */

/** Rooms of core, each with the rooms it may import from besides itself, `protocol` and `util`. */
const CORE: Record<string, readonly string[]> = {
  util: [],
  provider: [],
  routing: ['provider'],
  chat: ['provider', 'routing'],
  turn: ['chat', 'provider', 'routing'],
  tools: ['provider', 'routing'],
  policy: [],
  sandbox: [],
  secrets: ['config'],
  audit: ['config'],
  hooks: [],
  scheduler: ['tools', 'policy', 'hooks'],
  client: ['turn', 'chat', 'provider', 'routing', 'hooks'],
  config: [],
  telemetry: ['provider', 'routing', 'hooks'],
  transcript: [],
  spending: ['config', 'provider', 'routing', 'telemetry'],
  context: ['config', 'chat', 'scheduler', 'tools'],
  records: ['config', 'chat', 'scheduler', 'tools', 'transcript'],
  'hook-ports': ['config', 'chat', 'client', 'hooks', 'scheduler', 'tools'],
  mcp: ['config', 'provider', 'tools'],
  skills: ['config', 'context', 'tools'],
  subagents: ['config', 'records', 'telemetry', 'tools'],
  'remote-agents': ['mcp', 'provider', 'subagents', 'tools'],
  undo: ['config', 'records', 'tools'],
  extensions: ['config', 'policy', 'provider'],
  diagnostics: ['tools'],
  recordings: ['provider', 'secrets', 'tools'],
  agent: [
    ...[
      'chat',
      'client',
      'config',
      'context',
      'diagnostics',
      'hook-ports',
      'hooks',
      'mcp',
      'policy',
      'provider',
      'records',
    ],
    ...['routing', 'scheduler', 'skills', 'spending', 'subagents', 'telemetry', 'tools', 'transcript', 'turn'],
    ...['audit', 'remote-agents', 'sandbox', 'secrets', 'undo'],
  ],
};

/** Rooms of the cli, each with the rooms it may import from besides itself and the files beside `main.ts`. */
const CLI: Record<string, readonly string[]> = {
  args: [],
  start: ['args'],
  providers: ['start'],
  generators: ['providers', 'start'],
  commands: ['args', 'providers', 'recording', 'start'],
  slash: ['commands', 'providers', 'start'],
  prompt: ['slash', 'start'],
  surface: ['args', 'start', 'generators', 'slash', 'prompt'],
  container: ['args', 'start'],
  recording: ['start'],
  ide: ['start'],
  headless: ['args', 'recording', 'start', 'generators', 'slash', 'prompt', 'surface'],
  serve: ['args', 'headless', 'prompt', 'start', 'surface'],
  acp: ['args', 'headless', 'prompt', 'providers', 'slash', 'start', 'surface'],
  tui: ['args', 'ide', 'providers', 'start', 'generators', 'slash', 'prompt', 'surface'],
};

/** Rooms of the terminal, each with the rooms of the terminal it may import from besides itself. */
const TUI: Record<string, readonly string[]> = {
  text: [],
  theme: ['text'],
  terminal: ['text'],
  render: ['text', 'theme'],
  input: ['text'],
  completion: ['input', 'text'],
  dialogs: ['input', 'render', 'terminal', 'text', 'theme'],
  'command-screen': ['dialogs', 'input', 'render', 'terminal', 'text', 'theme'],
  conversation: ['command-screen', 'dialogs', 'render', 'text', 'theme'],
  hooks: ['conversation'],
  contexts: [],
  components: ['command-screen', 'contexts', 'conversation', 'dialogs', 'hooks', 'input', 'render', 'text', 'theme'],
  frame: [
    ...['command-screen', 'components', 'contexts', 'conversation', 'dialogs', 'hooks', 'input', 'render', 'terminal'],
    ...['text', 'theme'],
  ],
  choices: ['app', 'command-screen', 'components', 'conversation', 'dialogs', 'input', 'render', 'text', 'theme'],
  app: [
    ...['choices', 'command-screen', 'completion', 'components', 'conversation', 'dialogs', 'frame', 'hooks', 'input'],
    ...['render', 'terminal', 'text', 'theme'],
  ],
};

/** Rooms of core that read and write the disk or start processes. */
const DISK = [
  ...[
    'tools',
    'hooks',
    'telemetry',
    'config',
    'spending',
    'context',
    'records',
    'hook-ports',
    'mcp',
    'extensions',
    'skills',
    'subagents',
    'undo',
    'diagnostics',
    'agent',
    'recordings',
    'sandbox',
    'secrets',
    'audit',
  ],
  ...['policy/policy-disk.ts', 'policy/folder-contents.ts', 'policy/git-queries.ts', 'turn/report-error.ts'],
];

/** Files that may import a concrete provider or the list of built-in tools. */
const WIRING = ['agent/create-agent.ts', 'agent/workspace-*.ts'];

interface Pattern {
  regex: string;
  message: string;
}

const NO_SURFACE = {
  regex: '^(react|ink|castor|@castor/testkit)(/|$)',
  message: 'core knows no surface and no test kit.',
};
const NO_DISK = {
  regex: '^(node:)?(fs|fs/promises|child_process)$',
  message: `Disk and processes belong to ${DISK.join(', ')}.`,
};
const NO_DEEP_IMPORT = {
  regex: '^@castor/[a-z]+/[^/]+/|^@castor/(cli|testkit)/|^(\\.\\./)+(core|cli|testkit)/',
  message: 'No deep import across packages: use the public surface.',
};
const NO_WIRING = {
  regex: '(^|/)(provider/(gemini|offline)|tools/builtin)/',
  message: `Only ${WIRING.join(' and ')} wire a concrete provider or the built-in tools.`,
};
const NO_IMPORT = { regex: '^(?:[^.]|\\.\\./)', message: 'protocol imports nothing.' };

function restrict(files: readonly string[], patterns: readonly Pattern[]) {
  return { files, rules: { 'no-restricted-imports': ['error', { patterns }] } };
}

/** Denies every room of the table that the row does not name. */
function closedRooms(table: Record<string, readonly string[]>, room: string): Pattern {
  const open = ['util', room, ...table[room]!];
  const closed = Object.keys(table).filter((each) => !open.includes(each));
  return {
    regex: `^(\\.\\./)+(${closed.join('|')})/`,
    message: `${room} may import from ${table[room]!.join(', ') || 'protocol and util'} only.`,
  };
}

function coreRoom(room: string) {
  const patterns = [NO_SURFACE, NO_DEEP_IMPORT, closedRooms(CORE, room)];
  if (!DISK.includes(room)) patterns.push(NO_DISK);
  // A tool may not know a provider; the room's own list is no wiring.
  if (room === 'tools') patterns.push({ ...NO_WIRING, regex: '(^|/)provider/(gemini|offline)/' });
  else if (room !== 'provider') patterns.push(NO_WIRING);
  return restrict([`packages/core/src/${room}/**`], patterns);
}

/** Single files of a room that keep its arrows but may touch the disk, or wire what is concrete. */
function coreFile(path: string, allowed: Pattern) {
  const [room] = path.split('/');
  const patterns = [NO_SURFACE, NO_DEEP_IMPORT, closedRooms(CORE, room!)];
  if (allowed !== NO_WIRING && room !== 'provider') patterns.push(NO_WIRING);
  return restrict([`packages/core/src/${path}`], patterns);
}

/** Files of policy that the bash reader inside it may not know. */
const ENGINE_FILES = [
  ...['always-rule', 'argument-texts', 'builtin-rules', 'explain', 'policy-engine', 'policy-loader', 'reading-tools'],
  ...['rule-tests', 'rules-file', 'saved-rules', 'settings-rules', 'string-map-file', 'trusted-folders'],
];
const NO_ENGINE = {
  regex: `^\\.\\./(${ENGINE_FILES.join('|')})\\.ts$`,
  message: 'policy/shell reads commands: it knows what a rule is, but neither the engine nor files of rules.',
};

function cliRoom(room: string) {
  return restrict([`packages/cli/src/${room}/**`], [NO_DEEP_IMPORT, closedRooms(CLI, room)]);
}

function tuiRoom(room: string) {
  const patterns = [NO_DEEP_IMPORT, closedRooms(CLI, 'tui'), closedRooms(TUI, room)];
  return restrict([`packages/cli/src/tui/${room}/**`], patterns);
}

const OWNS_TERMINAL = ['exit', 'exitCode', 'stdout', 'stderr', 'stdin'].map((property) => ({
  object: 'process',
  property,
  message: 'Only the cli owns the terminal and the exit.',
}));

const TESTS = ['**/*.test.ts', '**/*.test-d.ts', '**/*.fixture.ts', 'test/**'];

const config = {
  plugins: ['typescript', 'unicorn', 'oxc', 'import', 'node'],
  categories: { correctness: 'error' },
  options: { typeAware: true, reportUnusedDisableDirectives: 'error' },
  ignorePatterns: ['**/dist/**', 'test/golden/**'],
  rules: {
    complexity: ['warn', { max: 15, variant: 'modified' }],
    'max-statements': ['warn', { max: 50 }],
    'import/no-cycle': 'error',
    'import/no-default-export': 'error',
    'no-restricted-imports': ['error', { patterns: [NO_DEEP_IMPORT] }],
    'typescript/consistent-type-imports': 'error',
    'typescript/no-explicit-any': 'error',
    'typescript/no-floating-promises': 'error',
    'typescript/no-misused-promises': 'error',
    'typescript/unbound-method': 'off',
    'typescript/no-misused-spread': 'off',
    'unicorn/no-useless-spread': 'off',
    'typescript/parameter-properties': 'error',
    'typescript/no-namespace': 'error',
    'typescript/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
    'unicorn/filename-case': ['error', { case: 'kebabCase' }],
  },
  overrides: [
    {
      files: ['packages/core/src/**'],
      rules: {
        'no-console': 'error',
        'unicorn/no-process-exit': 'error',
        'node/no-process-env': 'error',
        'no-restricted-properties': ['error', ...OWNS_TERMINAL],
        'no-restricted-imports': ['error', { patterns: [NO_SURFACE, NO_DISK, NO_DEEP_IMPORT] }],
      },
    },
    restrict(['packages/core/src/protocol/**'], [NO_IMPORT]),
    ...Object.keys(CORE).map(coreRoom),
    restrict(
      ['packages/core/src/policy/shell/**'],
      [NO_SURFACE, NO_DISK, NO_DEEP_IMPORT, NO_ENGINE, closedRooms(CORE, 'policy')],
    ),
    ...DISK.filter((path) => path.endsWith('.ts')).map((path) => coreFile(path, NO_DISK)),
    ...WIRING.map((path) => coreFile(path, NO_WIRING)),
    { files: ['packages/core/src/config/**'], rules: { 'node/no-process-env': 'off' } },
    ...Object.keys(CLI).map(cliRoom),
    ...Object.keys(TUI).map(tuiRoom),
    restrict(
      ['packages/batch/src/**'],
      [NO_DEEP_IMPORT, { regex: '^(castor|@castor/.*|react|ink)(/|$)', message: 'batch starts castor as a program.' }],
    ),
    restrict(
      ['packages/queue-bullmq/src/**'],
      [
        NO_DEEP_IMPORT,
        { regex: '^(castor|@castor/(?!batch$).*|react|ink)(/|$)', message: 'A queue knows the batch package only.' },
      ],
    ),
    restrict(
      ['packages/testkit/src/**'],
      [NO_DEEP_IMPORT, { regex: '^(castor|react|ink)(/|$)', message: 'testkit sees the protocol only.' }],
    ),
    {
      files: TESTS,
      rules: {
        'no-restricted-imports': ['error', { patterns: [NO_DEEP_IMPORT] }],
        'no-restricted-properties': 'off',
        'node/no-process-env': 'off',
        'no-unsafe-optional-chaining': 'off',
      },
    },
    { files: ['packages/cli/bin/*.cjs'], rules: { 'no-unused-vars': ['error', { caughtErrors: 'none' }] } },
    // Named as in Gemini CLI.
    { files: ['packages/cli/skills/**'], rules: { 'unicorn/filename-case': 'off' } },
    { files: ['*.config.ts'], rules: { 'import/no-default-export': 'off' } },
  ],
};

export default config;
