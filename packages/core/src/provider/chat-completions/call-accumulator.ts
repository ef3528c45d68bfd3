/**
 * Collects the calls of one answer from fragments, however a server cuts, numbers and repeats them. It repairs no
 * arguments: a call whose JSON is incomplete is reported as broken, since half a file must not be written.
 */

import { isRecord } from '../../util/is-record.ts';
import { readArguments } from '../wire/call-arguments.ts';

export interface CollectedCall {
  id: string | undefined;
  name: string;
  /** Undefined: the arguments are not a JSON object. */
  args: Record<string, unknown> | undefined;
  /** What the fragments carried beside the call, such as `extra_content`. */
  extra: Record<string, unknown> | undefined;
}

interface OpenCall {
  id: string | undefined;
  name: string;
  /** Pieces of JSON text, or the object a server sent. */
  text: string;
  object: Record<string, unknown> | undefined;
  extra: Record<string, unknown> | undefined;
}

export class CallAccumulator {
  private readonly calls: OpenCall[] = [];
  /** The newest call of each index. */
  private readonly byIndex = new Map<number, OpenCall>();

  get isEmpty(): boolean {
    return this.calls.length === 0;
  }

  /** Adds the `tool_calls` of one frame. */
  add(fragments: readonly unknown[]): void {
    for (const [position, fragment] of fragments.entries())
      if (isRecord(fragment)) this.addFragment(fragment, position);
  }

  /** All calls in the order they began. */
  finish(): CollectedCall[] {
    return this.calls.flatMap(toCollected);
  }

  private addFragment(fragment: Record<string, unknown>, position: number): void {
    const { index: given, id: rawId, extra_content: extra } = fragment;
    const fields = isRecord(fragment['function']) ? fragment['function'] : fragment;
    const { name: rawName, arguments: args } = fields;
    const index = typeof given === 'number' && Number.isInteger(given) && given >= 0 ? given : position;
    const id = typeof rawId === 'string' && rawId !== '' ? rawId : undefined;
    const name = typeof rawName === 'string' ? rawName : '';
    const call = this.callFor(index, id, name, args);
    call.id ??= id;
    if (isRecord(extra)) call.extra = extra;
    addName(call, name);
    if (isRecord(args)) call.object = args;
    else if (typeof args === 'string') call.text += args;
  }

  /** The call a fragment continues, or a new one. */
  private callFor(index: number, id: string | undefined, name: string, args: unknown): OpenCall {
    const known = this.byIndex.get(index);
    if (known && !this.isNext(known, id, name, args)) return known;
    const call: OpenCall = { id, name: '', text: '', object: undefined, extra: undefined };
    this.calls.push(call);
    this.byIndex.set(index, call);
    return call;
  }

  /** Whether a fragment at the index of a call begins another: servers repeat the index, or number every call 0. */
  private isNext(known: OpenCall, id: string | undefined, name: string, args: unknown): boolean {
    if (!isWhole(known)) return false;
    if (id !== undefined && known.id !== undefined && id !== known.id) return true;
    if (known.object !== undefined) return isRecord(args) || (name !== '' && name !== known.name);
    return typeof args === 'string' && /^\s*\{/.test(args) && known.text !== '';
  }
}

/** A name may come in pieces before the arguments, or again with every fragment. */
function addName(call: OpenCall, name: string): void {
  if (name === '' || name === call.name) return;
  if (call.text !== '' || call.object !== undefined) {
    if (call.name === '') call.name = name;
  } else if (name.startsWith(call.name)) call.name = name;
  else if (!call.name.startsWith(name)) call.name += name;
}

function isWhole({ text, object }: OpenCall): boolean {
  return object !== undefined || readArguments(text) !== undefined;
}

/** A text of several JSON objects is several calls of one tool. */
function toCollected({ id, name, text, object, extra }: OpenCall): CollectedCall[] {
  const args = object ?? readArguments(text);
  if (args !== undefined) return [{ id, name, args, extra }];
  const several = splitObjects(text);
  if (several === undefined) return [{ id, name, args: undefined, extra }];
  return several.map((one, index) => ({ id: index === 0 ? id : undefined, name, args: one, extra }));
}

/** The objects of `{…}{…}`; undefined if it is anything else. */
function splitObjects(text: string): Record<string, unknown>[] | undefined {
  const objects: Record<string, unknown>[] = [];
  let rest = text.trim();
  while (rest !== '') {
    const end = objectEnd(rest);
    const object = end === undefined ? undefined : readArguments(rest.slice(0, end));
    if (end === undefined || object === undefined) return undefined;
    objects.push(object);
    rest = rest.slice(end).trim();
  }
  return objects.length > 1 ? objects : undefined;
}

/** The end of the object that the text begins with. */
function objectEnd(text: string): number | undefined {
  if (!text.startsWith('{')) return undefined;
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (inString) {
      if (character === '\\') at++;
      else if (character === '"') inString = false;
    } else if (character === '"') inString = true;
    else if (character === '{') depth++;
    else if (character === '}' && --depth === 0) return at + 1;
  }
  return undefined;
}
