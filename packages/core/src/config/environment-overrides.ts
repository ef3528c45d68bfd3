/** Reads the variables that override a setting of every file. */

type Environment = Readonly<Record<string, string | undefined>>;

interface Override {
  variable: string;
  key: string;
  read(value: string): unknown;
}

/** `true` or `1` is on, anything else off, as in the reference. */
const isOn = (value: string) => value === 'true' || value === '1';
const asText = (value: string) => value;

export const OVERRIDES: readonly Override[] = [
  { variable: 'CASTOR_MODEL', key: 'castor.model', read: asText },
  { variable: 'GEMINI_MODEL', key: 'model.name', read: asText },
  { variable: 'CASTOR_OFFLINE', key: 'model.offline', read: toOffline },
  { variable: 'CASTOR_STREAM_IDLE_TIMEOUT_MS', key: 'model.streamIdleTimeoutMs', read: toNumber },
  { variable: 'GEMINI_SANDBOX', key: 'tools.sandbox', read: toSandbox },
  { variable: 'GEMINI_TELEMETRY_ENABLED', key: 'telemetry.enabled', read: isOn },
  { variable: 'GEMINI_TELEMETRY_TRACES_ENABLED', key: 'telemetry.traces', read: isOn },
  { variable: 'GEMINI_TELEMETRY_TARGET', key: 'telemetry.target', read: asText },
  { variable: 'OTEL_EXPORTER_OTLP_ENDPOINT', key: 'telemetry.otlpEndpoint', read: asText },
  { variable: 'GEMINI_TELEMETRY_OTLP_ENDPOINT', key: 'telemetry.otlpEndpoint', read: asText },
  { variable: 'GEMINI_TELEMETRY_OTLP_PROTOCOL', key: 'telemetry.otlpProtocol', read: asText },
  { variable: 'GEMINI_TELEMETRY_LOG_PROMPTS', key: 'telemetry.logPrompts', read: isOn },
  { variable: 'GEMINI_TELEMETRY_OUTFILE', key: 'telemetry.outfile', read: asText },
  { variable: 'GEMINI_TELEMETRY_USE_COLLECTOR', key: 'telemetry.useCollector', read: isOn },
  { variable: 'GEMINI_TELEMETRY_USE_CLI_AUTH', key: 'telemetry.useCliAuth', read: isOn },
  { variable: 'GEMINI_CLI_EXTENSION_REGISTRY_URI', key: 'experimental.extensionRegistryURI', read: asText },
];

/** Off leaves the setting; an unknown word is refused, since it may stand for either. */
function toOffline(value: string): unknown {
  if (/^(?:1|true|yes|on)$/i.test(value)) return true;
  return /^(?:0|false|no|off)$/i.test(value) ? undefined : value;
}

function toNumber(value: string): unknown {
  return /^\d+$/.test(value) ? Number(value) : value;
}

function toSandbox(value: string): unknown {
  const word = value.toLowerCase();
  if (word === 'true' || word === '1') return true;
  return word === 'false' || word === '0' ? false : value;
}

export interface EnvironmentValues {
  values: Record<string, Record<string, unknown>>;
  /** The variable that set each key. */
  variables: ReadonlyMap<string, string>;
}

/** Undefined when no variable is set; an empty one counts as unset. */
export function readOverrides(environment: Environment): EnvironmentValues | undefined {
  const values: EnvironmentValues['values'] = {};
  const variables = new Map<string, string>();
  for (const { variable, key, read } of OVERRIDES) {
    const given = environment[variable]?.trim();
    const value = given ? read(given) : undefined;
    if (value === undefined) continue;
    const [section = '', name = ''] = key.split('.');
    values[section] = { ...values[section], [name]: value };
    variables.set(key, variable);
  }
  return variables.size === 0 ? undefined : { values, variables };
}
