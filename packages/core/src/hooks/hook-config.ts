/**
 * Parses the `hooks` and `hooksConfig` of the layers into entries. An invalid entry is
 * rejected with a sentence that names the file and the place, and does not affect its
 * neighbours. It reads no files and runs nothing.
 */

import { HOOK_EVENTS } from './hook-events.ts';
import type { HookEventName } from './hook-events.ts';
import { HOOK_ORDER } from './hook-layer.ts';
import type { HookLayer } from './hook-layer.ts';
import { isForeign } from '../protocol/source.ts';
import type { SourceKind } from '../protocol/source.ts';
import { isRecord } from '../util/is-record.ts';

export interface HookEntry {
  event: HookEventName;
  source: SourceKind;
  file?: string;
  /** Empty: matches always. */
  matcher: string;
  sequential: boolean;
  /** The configured name, or the command. */
  name: string;
  command: string;
  timeoutMs: number;
  description?: string;
  env: Readonly<Record<string, string>>;
  /** Disabled by name, by its file, or globally. */
  isDisabled: boolean;
}

export interface HookSettings {
  /** In the order they run. */
  entries: readonly HookEntry[];
  /** Sentences about rejected entries. */
  problems: readonly string[];
}

const DEFAULT_TIMEOUT_MS = 60_000;
/** The longest delay of a timer. */
const LONGEST_TIMEOUT_MS = 2_147_483_647;
/** Older settings have these fields beside the events. */
const OLD_CONFIG_FIELDS = new Set(['enabled', 'disabled', 'notifications']);

/** Names of the events in other agents, and old spellings. */
const OTHER_NAMES: ReadonlyMap<string, HookEventName> = new Map([
  ['PreToolUse', 'BeforeTool'],
  ['PostToolUse', 'AfterTool'],
  ['UserPromptSubmit', 'BeforeAgent'],
  ['Stop', 'AfterAgent'],
  ['PreCompact', 'PreCompress'],
]);

export function readHookLayers(layers: readonly HookLayer[]): HookSettings {
  const problems = layers.flatMap(({ problem }) => problem ?? []);
  const entries = HOOK_ORDER.flatMap((source) =>
    layers.filter((layer) => layer.source === source).flatMap((layer) => readLayer(layer, problems)),
  );
  const isOff = readSwitches(layers, problems);
  return { entries: entries.map((entry) => ({ ...entry, isDisabled: isOff(entry) })), problems };
}

function readLayer(layer: HookLayer, problems: string[]): HookEntry[] {
  const where = layer.file ?? `the ${layer.source} hooks`;
  if (layer.hooks === undefined) return [];
  if (!isRecord(layer.hooks)) {
    problems.push(
      `${where}: "hooks" must be an object of events, not ${describe(layer.hooks)}. Castor runs none of its hooks.`,
    );
    return [];
  }
  return Object.entries(layer.hooks).flatMap(([event, definitions]) => {
    if (OLD_CONFIG_FIELDS.has(event)) return [];
    const place = `${where}: hooks.${event}`;
    if (!isHookEvent(event)) {
      problems.push(unknownEvent(place, event));
      return [];
    }
    if (!Array.isArray(definitions)) {
      problems.push(`${place} must be a list, not ${describe(definitions)}.`);
      return [];
    }
    return definitions.flatMap((definition: unknown, index) =>
      readDefinition(definition, { event, layer, place: `${place}[${index}]`, problems }),
    );
  });
}

interface Place {
  event: HookEventName;
  layer: HookLayer;
  place: string;
  problems: string[];
}

function readDefinition(definition: unknown, at: Place): HookEntry[] {
  const { place, problems } = at;
  if (!isRecord(definition) || !Array.isArray(definition['hooks'])) {
    problems.push(`${place} was skipped: it must be an object with a list "hooks".`);
    return [];
  }
  const { matcher = '', sequential = false } = definition;
  if (typeof matcher !== 'string') {
    problems.push(`${place} was skipped: "matcher" must be a string, not ${describe(matcher)}.`);
    return [];
  }
  if (selectsTools(at.event) && !isRegularExpression(matcher)) {
    const name = describe(matcher);
    problems.push(
      `${place}: "matcher" ${name} is an invalid regular expression; Castor takes it as the name of a tool. Correct it.`,
    );
  }
  if (typeof sequential !== 'boolean') problems.push(`${place}: "sequential" must be true or false; Castor uses true.`);
  return definition['hooks'].flatMap((hook: unknown, index) => {
    const entry = readHook(hook, { ...at, place: `${place}.hooks[${index}]` });
    return entry ? [{ ...entry, matcher, sequential: sequential !== false }] : [];
  });
}

function selectsTools(event: HookEventName): boolean {
  return event === 'BeforeTool' || event === 'AfterTool';
}

/** `*` stands for every tool. */
function isRegularExpression(matcher: string): boolean {
  if (matcher === '*') return true;
  try {
    void new RegExp(matcher);
    return true;
  } catch {
    return false;
  }
}

function readHook(hook: unknown, { event, layer, place, problems }: Place): HookEntry | undefined {
  const leaveOut = (why: string) => void problems.push(`${place} was skipped: ${why}`);
  if (!isRecord(hook)) return leaveOut(`it must be an object, not ${describe(hook)}.`);
  const { type, command, name, description } = hook;
  if (type !== 'command') return leaveOut(`its "type" must be "command", not ${describe(type)}.`);
  if (typeof command !== 'string' || command.trim() === '') return leaveOut('its "command" is missing.');
  if (name !== undefined && typeof name !== 'string')
    problems.push(`${place}: "name" must be a string; Castor ignores it.`);
  return {
    event,
    source: layer.source,
    ...(layer.file !== undefined && { file: layer.file }),
    matcher: '',
    sequential: false,
    name: typeof name === 'string' && name !== '' ? name : command,
    command,
    timeoutMs: readTimeout(hook['timeout'], place, problems),
    ...(typeof description === 'string' && { description }),
    env: { ...readEnvironment(hook['env'], place, problems), ...layer.variables },
    isDisabled: false,
  };
}

function readTimeout(value: unknown, place: string, problems: string[]): number {
  if (value === undefined) return DEFAULT_TIMEOUT_MS;
  if (typeof value === 'number' && value > 0) return Math.min(value, LONGEST_TIMEOUT_MS);
  problems.push(
    `${place}: "timeout" must be milliseconds above 0, not ${describe(value)}; Castor uses ${DEFAULT_TIMEOUT_MS}.`,
  );
  return DEFAULT_TIMEOUT_MS;
}

function readEnvironment(value: unknown, place: string, problems: string[]): Record<string, string> {
  if (value === undefined) return {};
  if (!isRecord(value)) {
    problems.push(`${place}: "env" must be an object of strings, not ${describe(value)}; Castor ignores it.`);
    return {};
  }
  const result: Record<string, string> = {};
  for (const [name, text] of Object.entries(value)) {
    const isUsable = typeof text === 'string' && /^[^=\0]+$/.test(name) && !text.includes('\0');
    if (isUsable) result[name] = text;
    else problems.push(`${place}: env.${name} must be a string; Castor ignores it.`);
  }
  return result;
}

/**
 * Decides which hooks are disabled. A project's switches apply only to the project's own
 * hooks: it must not be able to disable a guard the user set up. An extension's are ignored.
 */
function readSwitches(layers: readonly HookLayer[], problems: string[]): (entry: HookEntry) => boolean {
  const switches = layers.map((layer) => ({ source: layer.source, ...readSwitch(layer, problems) }));
  const ofUser = switches.filter(({ source }) => !isForeign(source));
  const ofProject = switches.filter(({ source }) => source === 'project');
  // The strongest of the user's files decides.
  const isOn = ofUser
    .toSorted((a, b) => rank(a.source) - rank(b.source))
    .findLast(({ enabled }) => enabled !== undefined);
  const disabled = new Set(ofUser.flatMap((one) => one.disabled));
  const disabledHere = new Set(ofProject.flatMap((one) => one.disabled));
  const projectIsOff = ofProject.some(({ enabled }) => enabled === false);
  return ({ source, name }) =>
    isOn?.enabled === false || disabled.has(name) || (source === 'project' && (projectIsOff || disabledHere.has(name)));
}

function rank(source: SourceKind): number {
  return ['user', 'system'].indexOf(source);
}

function readSwitch(layer: HookLayer, problems: string[]): { enabled?: boolean; disabled: string[] } {
  const { hooksConfig, file = `the ${layer.source} settings` } = layer;
  if (hooksConfig === undefined) return { disabled: [] };
  if (!isRecord(hooksConfig)) {
    problems.push(`${file}: "hooksConfig" must be an object, not ${describe(hooksConfig)}; Castor ignores it.`);
    return { disabled: [] };
  }
  const { enabled, disabled = [] } = hooksConfig;
  if (enabled !== undefined && typeof enabled !== 'boolean') {
    problems.push(`${file}: hooksConfig.enabled must be true or false, not ${describe(enabled)}; Castor ignores it.`);
  }
  const names = Array.isArray(disabled) ? disabled.filter((name) => typeof name === 'string') : undefined;
  if (names === undefined) problems.push(`${file}: hooksConfig.disabled must be a list of names; Castor ignores it.`);
  return { ...(typeof enabled === 'boolean' && { enabled }), disabled: names ?? [] };
}

function unknownEvent(place: string, event: string): string {
  const meant =
    OTHER_NAMES.get(event) ??
    HOOK_EVENTS.find((known) => known.toLowerCase() === event.toLowerCase().replaceAll(/[-_]/g, ''));
  const hint = meant ? `Write ${meant}.` : `The events are ${HOOK_EVENTS.join(', ')}.`;
  return `${place} was skipped: unknown event. ${hint}`;
}

export function isHookEvent(name: string): name is HookEventName {
  return (HOOK_EVENTS as readonly string[]).includes(name);
}

function describe(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : JSON.stringify(value);
}
