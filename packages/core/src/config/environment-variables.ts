/** Lists the variables Castor reads or sets, each with a sentence: the source of the table in docs/settings.md. */

export interface EnvironmentVariable {
  names: readonly string[];
  summary: string;
}

export const ENVIRONMENT_VARIABLES: readonly EnvironmentVariable[] = [
  { names: ['GEMINI_API_KEY'], summary: 'The key for the Gemini API.' },
  { names: ['GOOGLE_API_KEY'], summary: 'The key for Vertex AI.' },
  {
    names: ['GOOGLE_CLOUD_PROJECT', 'GOOGLE_CLOUD_PROJECT_ID', 'GOOGLE_CLOUD_LOCATION'],
    summary: 'The project and the region on Google Cloud.',
  },
  { names: ['GOOGLE_APPLICATION_CREDENTIALS'], summary: 'A file with credentials for Google Cloud.' },
  {
    names: ['GOOGLE_GENAI_USE_GCA', 'GOOGLE_GENAI_USE_VERTEXAI', 'GEMINI_CLI_USE_COMPUTE_ADC', 'CLOUD_SHELL'],
    summary: 'How requests are authorised when no setting selects it.',
  },
  {
    names: [
      'GOOGLE_GEMINI_BASE_URL',
      'GOOGLE_VERTEX_BASE_URL',
      'GOOGLE_GENAI_API_VERSION',
      'CODE_ASSIST_ENDPOINT',
      'CODE_ASSIST_API_VERSION',
    ],
    summary: 'The endpoints of requests.',
  },
  { names: ['GEMINI_API_KEY_AUTH_MECHANISM'], summary: '`x-goog-api-key` (default) or `bearer`.' },
  { names: ['GEMINI_CLI_CUSTOM_HEADERS'], summary: 'Additional request headers: `Name: value, Name2: value2`.' },
  {
    names: ['CASTOR_MODEL', 'GEMINI_MODEL'],
    summary: 'The model. The first applies to Castor alone and may be `provider/model`.',
  },
  {
    names: [
      ...['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'OPENAI_API_KEY', 'OPENROUTER_API_KEY', 'AZURE_OPENAI_API_KEY'],
      ...['DEEPSEEK_API_KEY', 'MISTRAL_API_KEY', 'GROQ_API_KEY', 'XAI_API_KEY', 'TOGETHER_API_KEY'],
      ...['FIREWORKS_API_KEY', 'CEREBRAS_API_KEY', 'MOONSHOT_API_KEY', 'ZAI_API_KEY'],
      ...['OLLAMA_API_KEY', 'LLAMA_API_KEY', 'VLLM_API_KEY'],
    ],
    summary: "The keys of other providers. A project's .env file may not set them.",
  },
  {
    names: [
      ...['ANTHROPIC_BASE_URL', 'OPENAI_BASE_URL', 'AZURE_OPENAI_ENDPOINT', 'AZURE_RESOURCE_NAME', 'OLLAMA_HOST'],
      ...['LMSTUDIO_BASE_URL', 'LLAMACPP_BASE_URL', 'VLLM_BASE_URL'],
    ],
    summary: "The addresses of other providers. A project's .env file may not set them.",
  },
  {
    names: ['ANTHROPIC_CUSTOM_HEADERS', 'OPENAI_ORG_ID', 'OPENAI_PROJECT_ID', 'AZURE_OPENAI_API_VERSION'],
    summary:
      'Additional headers, one `Name: value` per line; the organisation and the project; the version of the path.',
  },
  {
    names: ['CASTOR_OFFLINE'],
    summary: '`1`, `true`, `yes` or `on` selects the built-in offline model, which sends nothing.',
  },
  { names: ['CASTOR_STREAM_IDLE_TIMEOUT_MS'], summary: 'Idle time after which Castor ends a stream.' },
  { names: ['GEMINI_CLI_HOME'], summary: 'Replaces the home folder.' },
  {
    names: ['GEMINI_CLI_SYSTEM_SETTINGS_PATH', 'GEMINI_CLI_SYSTEM_DEFAULTS_PATH', 'GEMINI_CLI_TRUSTED_FOLDERS_PATH'],
    summary: 'The paths of these files.',
  },
  { names: ['GEMINI_CLI_TRUST_WORKSPACE'], summary: '`true` trusts the folder for this run, `false` does not.' },
  { names: ['GEMINI_SANDBOX'], summary: 'The sandbox: true, false, or a kind such as docker.' },
  {
    names: [
      'GEMINI_SANDBOX_IMAGE',
      'GEMINI_SANDBOX_IMAGE_DEFAULT',
      'GEMINI_SANDBOX_PROXY_COMMAND',
      'SANDBOX_FLAGS',
      'SANDBOX_MOUNTS',
      'SANDBOX_ENV',
      'SANDBOX_PORTS',
      'SANDBOX_SET_UID_GID',
      'SEATBELT_PROFILE',
      'BUILD_SANDBOX',
    ],
    summary: 'How the sandbox is started; inside it `SANDBOX` names it.',
  },
  {
    names: ['GEMINI_SYSTEM_MD', 'GEMINI_WRITE_SYSTEM_MD'],
    summary: 'A file that replaces the system prompt; a file to which Castor writes the built-in one.',
  },
  {
    names: [
      'GEMINI_TELEMETRY_ENABLED',
      'GEMINI_TELEMETRY_TRACES_ENABLED',
      'GEMINI_TELEMETRY_LOG_PROMPTS',
      'GEMINI_TELEMETRY_USE_COLLECTOR',
      'GEMINI_TELEMETRY_USE_CLI_AUTH',
    ],
    summary: '`true` or `1` enables it, any other value disables it.',
  },
  {
    names: [
      'GEMINI_TELEMETRY_TARGET',
      'GEMINI_TELEMETRY_OTLP_ENDPOINT',
      'GEMINI_TELEMETRY_OTLP_PROTOCOL',
      'GEMINI_TELEMETRY_OUTFILE',
      'OTEL_EXPORTER_OTLP_ENDPOINT',
      'OTLP_GOOGLE_CLOUD_PROJECT',
    ],
    summary: 'The destination of telemetry.',
  },
  {
    names: [
      'GEMINI_CLI_IDE_SERVER_PORT',
      'GEMINI_CLI_IDE_WORKSPACE_PATH',
      'GEMINI_CLI_IDE_AUTH_TOKEN',
      'GEMINI_CLI_IDE_PID',
      'GEMINI_CLI_IDE_SERVER_STDIO_COMMAND',
      'GEMINI_CLI_IDE_SERVER_STDIO_ARGS',
    ],
    summary: 'Set by an editor to describe its connection.',
  },
  { names: ['GITHUB_TOKEN'], summary: 'Used for releases and https clones of extensions from GitHub.' },
  {
    names: ['CASTOR_GITHUB_URL', 'CASTOR_GITHUB_API_URL'],
    summary: 'Replace https://github.com and https://api.github.com as sources of extensions, for a mirror.',
  },
  { names: ['GEMINI_CLI_EXTENSION_REGISTRY_URI'], summary: 'The registry of extensions.' },
  {
    names: [
      'GEMINI_CLI_NO_RELAUNCH',
      'GEMINI_CLI_INTEGRATION_TEST',
      'GEMINI_PTY_INFO',
      'GEMINI_FORCE_FILE_STORAGE',
      'GEMINI_DEBUG_LOG_FILE',
      'GEMINI_CLI_ACTIVITY_LOG_TARGET',
      'GEMINI_CLI_SURFACE',
    ],
    summary: 'For tests and tools of Gemini CLI.',
  },
  { names: ['HTTPS_PROXY', 'HTTP_PROXY', 'NO_PROXY'], summary: 'The proxy, in upper or lower case.' },
  {
    names: ['DEBUG', 'DEBUG_MODE', 'NO_COLOR', 'CLI_TITLE', 'NO_BROWSER', 'EDITOR', 'VISUAL', 'CI', 'GITHUB_ACTIONS'],
    summary: 'Their usual meanings.',
  },
  { names: ['GEMINI_CLI'], summary: 'Set to `1` in commands and servers that Castor starts.' },
  {
    names: ['GEMINI_PROJECT_DIR', 'GEMINI_PLANS_DIR', 'GEMINI_SESSION_ID', 'GEMINI_CWD', 'CLAUDE_PROJECT_DIR'],
    summary: 'Set for hooks.',
  },
];
