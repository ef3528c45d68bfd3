/**
 * Lists the names that no project's .env file may set, trusted or not: they load code into
 * programs, move configuration, redirect requests and keys, or are keys of the user's providers.
 */

export type Danger =
  | 'it loads code into programs'
  | 'it decides which programs run'
  | 'it moves configuration'
  | 'it redirects connections'
  | 'it changes how Castor itself works';

interface Family {
  danger: Danger;
  names: readonly string[];
  prefixes: readonly string[];
}

const FAMILIES: readonly Family[] = [
  {
    danger: 'it loads code into programs',
    names: [
      'ENV',
      'BASH_ENV',
      'JAVA_TOOL_OPTIONS',
      '_JAVA_OPTIONS',
      'JDK_JAVA_OPTIONS',
      'MAVEN_OPTS',
      'GRADLE_OPTS',
      'RUSTC',
      'RUSTFLAGS',
      'GOFLAGS',
      'MAKEFLAGS',
      'OPENSSL_CONF',
      'OPENSSL_MODULES',
      'PROMPT_COMMAND',
      'SHELLOPTS',
      'BASHOPTS',
      'PHPRC',
      'PHP_INI_SCAN_DIR',
      'CLASSPATH',
      'LUA_PATH',
      'LUA_CPATH',
      'LUA_INIT',
      'DOTNET_STARTUP_HOOKS',
      'GCONV_PATH',
    ],
    prefixes: [
      'LD_',
      'DYLD_',
      'NODE_',
      'GIT_',
      'PYTHON',
      'PERL5',
      'PERL_',
      'RUBY',
      'GEM_',
      'BUNDLE_',
      'BASH_FUNC_',
      'RUSTC_',
      'CARGO_',
      'NPM_CONFIG_',
      'PIP_',
      'UV_',
      'CORECLR_',
      'COR_',
      'DENO_',
      'BUN_',
    ],
  },
  {
    danger: 'it decides which programs run',
    names: [
      'PATH',
      'PATHEXT',
      'COMSPEC',
      'SHELL',
      'IFS',
      'CDPATH',
      'PS0',
      'PS1',
      'PS2',
      'PS4',
      'EDITOR',
      'VISUAL',
      'PAGER',
      'MANPAGER',
      'BROWSER',
      'LESSOPEN',
      'LESSCLOSE',
      'LESS',
      'LESSKEY',
      'SUDO_ASKPASS',
      'SUDO_EDITOR',
    ],
    prefixes: ['SSH_'],
  },
  {
    danger: 'it moves configuration',
    names: [
      'HOME',
      'USERPROFILE',
      'HOMEDRIVE',
      'HOMEPATH',
      'APPDATA',
      'LOCALAPPDATA',
      'PROGRAMDATA',
      'SYSTEMROOT',
      'WINDIR',
      'TMPDIR',
      'TMP',
      'TEMP',
      'ZDOTDIR',
      'INPUTRC',
      'CURL_HOME',
      'WGETRC',
      'NETRC',
      'GNUPGHOME',
      'TERMINFO',
      'TERMINFO_DIRS',
      'GOOGLE_APPLICATION_CREDENTIALS',
      'CLOUDSDK_CONFIG',
    ],
    prefixes: ['XDG_'],
  },
  {
    danger: 'it redirects connections',
    names: [
      'GOOGLE_GEMINI_BASE_URL',
      'GOOGLE_VERTEX_BASE_URL',
      'OPENAI_BASE_URL',
      'OPENAI_API_BASE',
      'ANTHROPIC_BASE_URL',
      'ANTHROPIC_CUSTOM_HEADERS',
      'OPENAI_ORG_ID',
      'OPENAI_PROJECT_ID',
      'AZURE_OPENAI_ENDPOINT',
      'AZURE_OPENAI_API_VERSION',
      'AZURE_RESOURCE_NAME',
      'OLLAMA_HOST',
      'LMSTUDIO_BASE_URL',
      'LLAMACPP_BASE_URL',
      'VLLM_BASE_URL',
      'GEMINI_API_KEY_AUTH_MECHANISM',
      'HTTP_PROXY',
      'HTTPS_PROXY',
      'ALL_PROXY',
      'FTP_PROXY',
      'NO_PROXY',
      'CURL_CA_BUNDLE',
      'REQUESTS_CA_BUNDLE',
      'AWS_CA_BUNDLE',
      'CURL_SSL_BACKEND',
      'GOPROXY',
      'HOSTALIASES',
      'RES_OPTIONS',
      'LOCALDOMAIN',
    ],
    prefixes: ['CODE_ASSIST_', 'GOOGLE_GENAI_', 'SSL_CERT_', 'OTEL_', 'OTLP_'],
  },
  {
    danger: 'it changes how Castor itself works',
    names: [
      'GEMINI_SYSTEM_MD',
      'GEMINI_WRITE_SYSTEM_MD',
      'GEMINI_PTY_INFO',
      'GEMINI_FORCE_FILE_STORAGE',
      'GEMINI_DEBUG_LOG_FILE',
      'SEATBELT_PROFILE',
      'BUILD_SANDBOX',
      'CLI_TITLE',
      'CLOUD_SHELL',
      'CI',
      'GITHUB_ACTIONS',
      'TERM',
      'COLORTERM',
      'NO_COLOR',
      'FORCE_COLOR',
      'NO_BROWSER',
      'VITEST',
    ],
    prefixes: ['CASTOR_', 'GEMINI_CLI_', 'GEMINI_SANDBOX', 'GEMINI_TELEMETRY_', 'SANDBOX'],
  },
];

/**
 * The keys of the user's providers, apart from Gemini's. A project's own would send the conversation to an account of
 * its choice, and many projects have one for their program.
 */
const PROVIDER_KEY =
  /^(?:(?:ANTHROPIC|AZURE_OPENAI|CEREBRAS|DEEPSEEK|FIREWORKS|GROQ|LLAMA|MISTRAL|MOONSHOT|OLLAMA|OPENAI|OPENROUTER|TOGETHER|VLLM|XAI|ZAI)_API_KEY|ANTHROPIC_AUTH_TOKEN)$/i;

export function isProviderKey(name: string): boolean {
  return PROVIDER_KEY.test(name);
}

/** Tells programs which environment they run in; setting it is harmless. */
const HARMLESS: ReadonlySet<string> = new Set(['NODE_ENV']);

const EXACT = new Map(FAMILIES.flatMap(({ danger, names }) => names.map((name) => [name, danger] as const)));

/** Undefined for a name a project may set. Ignores case, because some programs do too. */
export function dangerOf(name: string): Danger | undefined {
  const upper = name.toUpperCase();
  if (HARMLESS.has(upper)) return undefined;
  return (
    EXACT.get(upper) ?? FAMILIES.find(({ prefixes }) => prefixes.some((prefix) => upper.startsWith(prefix)))?.danger
  );
}
