/**
 * Recognises calls that a small model wrote as plain text because its server has no parser for them. Only an answer that
 * is nothing but calls of offered tools counts: a call inside prose, or in content that the model quotes, is text.
 */

import { isRecord } from '../../util/is-record.ts';

/** How an answer begins that may be nothing but calls. */
const OPENINGS = ['{', '[{', '[TOOL_CALLS]', '<tool_call>', '<function=', '<invoke ', '```'];
const FENCE = /^```(?:json|tool_call|xml)?\s*\n([\s\S]*?)\n?```$/;
const TAGGED = /^\s*<tool_call>([\s\S]*?)<\/tool_call>/;
const FUNCTION = /^\s*<function=([^>\s]+)>([\s\S]*?)<\/function>/;
const INVOKE = /^\s*<invoke name="([^"]+)">([\s\S]*?)<\/invoke>/;
const PARAMETER = /<parameter(?:=([^>\s]+)| name="([^"]+)")>([\s\S]*?)<\/parameter>/g;

export interface FoundCall {
  name: string;
  args: Record<string, unknown>;
}

/** Holds the text of an answer back while it may be nothing but calls. */
export class TextCallHold {
  private held = '';
  private isOpen = true;

  /** The text that is certainly not a call. */
  push(text: string): string {
    if (!this.isOpen) return text;
    this.held += text;
    const begun = this.held.trimStart();
    if (OPENINGS.some((opening) => begun.startsWith(opening) || opening.startsWith(begun))) return '';
    this.isOpen = false;
    return this.take();
  }

  /** The held text, at the end of the answer. */
  take(): string {
    const { held } = this;
    this.held = '';
    return held;
  }
}

/** The calls an answer consists of; none if it holds anything else, or names a tool that was not offered. */
export function recoverTextCalls(text: string, isOffered: (name: string) => boolean): FoundCall[] {
  const trimmed = text.trim();
  const found = findCalls(FENCE.exec(trimmed)?.[1]?.trim() ?? trimmed);
  return found?.every(({ name }) => isOffered(name)) ? found : [];
}

function findCalls(text: string): FoundCall[] | undefined {
  if (text === '') return undefined;
  const json = text.replace(/^\[TOOL_CALLS\]\s*/, '');
  if (json.startsWith('{') || json.startsWith('[')) return callsInJson(json);
  const found: FoundCall[] = [];
  for (let rest = text; rest.trim() !== '';) {
    const next = takeTagged(rest);
    if (!next) return undefined;
    found.push(...next.calls);
    rest = rest.slice(next.length);
  }
  return found;
}

function takeTagged(text: string): { calls: FoundCall[]; length: number } | undefined {
  const tagged = TAGGED.exec(text);
  if (tagged) {
    const calls = findCalls(tagged[1]!.trim());
    return calls && { calls, length: tagged[0].length };
  }
  const named = FUNCTION.exec(text) ?? INVOKE.exec(text);
  const args = named && parametersIn(named[2]!);
  return args ? { calls: [{ name: named[1]!, args }], length: named[0].length } : undefined;
}

/** Undefined if the text holds anything but parameters. */
function parametersIn(text: string): Record<string, unknown> | undefined {
  const args: Record<string, unknown> = {};
  for (const [, short, long, value = ''] of text.matchAll(PARAMETER)) {
    args[(short ?? long)!] = toValue(value.replace(/^\n|\n$/g, ''));
  }
  return text.replaceAll(PARAMETER, '').trim() === '' ? args : undefined;
}

/** A parameter is text unless it is a JSON number, boolean, list or object. */
function toValue(text: string): unknown {
  if (!/^(?:true|false|null|-?\d+(?:\.\d+)?|[[{][\s\S]*[\]}])$/.test(text.trim())) return text;
  return parse(text) ?? text;
}

function callsInJson(text: string): FoundCall[] | undefined {
  const value = parse(text);
  const list: unknown[] = Array.isArray(value) ? value : [value];
  const calls = list.map(toCall);
  return calls.length > 0 && calls.every((call) => call !== undefined) ? calls : undefined;
}

function toCall(value: unknown): FoundCall | undefined {
  if (!isRecord(value)) return undefined;
  const { name, arguments: given, parameters, ...others } = isRecord(value['function']) ? value['function'] : value;
  const args: unknown = given ?? parameters;
  const object: unknown = typeof args === 'string' ? parse(args) : args;
  const isCall = typeof name === 'string' && isRecord(object) && Object.keys(others).every((key) => key === 'type');
  return isCall ? { name, args: object } : undefined;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Not JSON: not a call of this form.
    return undefined;
  }
}
