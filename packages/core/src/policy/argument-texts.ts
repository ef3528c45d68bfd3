/**
 * Converts a call's arguments to the texts that rules are tested against. A file has many
 * names: deny and ask rules are tested against each of them, links followed; an allow rule
 * must match the given name and, behind a link, the file itself.
 */

import { join, relative, resolve } from 'node:path';
import { realPathOf } from './policy-disk.ts';
import { isMcp, namesAbsolutePath, stableJson } from './rule-matching.ts';
import type { PolicyCall, PolicyRule } from './rule.ts';
import { isInside } from '../util/is-inside.ts';

type Arguments = PolicyCall['args'];

/** The arguments of our own tools that contain a path. */
const PATH_KEYS = ['file_path', 'dir_path'] as const;

/** Normalizes a path as the tools do: they drop NULs and the `@` of a reference. */
function cleanPath(path: string): string {
  const whole = path.includes('\0') ? path.replaceAll('\0', '') : path;
  return whole.startsWith('@') ? whole.replace(/^@(?=.)/, '') : whole;
}

/** The arguments with paths normalized as the tools do; those of external tools stay unchanged. */
export function cleanArguments(call: PolicyCall): Arguments {
  return isForeign(call) ? call.args : mapPaths(call.args, cleanPath);
}

export function isForeign(call: PolicyCall): boolean {
  return isMcp(call) || call.toolName.startsWith('discovered_tool_');
}

function mapPaths(args: Arguments, change: (path: string) => string): Arguments {
  let changed: Record<string, unknown> | undefined;
  for (const key of PATH_KEYS) {
    const path = args[key];
    if (typeof path !== 'string') continue;
    changed ??= { ...args };
    changed[key] = change(path);
  }
  return changed ?? args;
}

export class ArgumentTexts {
  private readonly args: Arguments;
  private readonly root: string;
  private readonly hasPaths: boolean;
  private readonly texts = new Map<string, string>();
  private linked: readonly string[] | undefined;

  /** `call` must come from `cleanArguments`. */
  constructor(call: PolicyCall, root: string) {
    this.args = call.args;
    this.root = root;
    this.hasPaths = !isForeign(call) && PATH_KEYS.some((key) => typeof call.args[key] === 'string');
  }

  matches(rule: PolicyRule): boolean {
    const { argsPattern } = rule;
    if (rule.commandPrefix !== undefined || rule.commandRegex !== undefined) return false;
    if (argsPattern === undefined) return true;
    const test = (text: string) => argsPattern.test(text);
    if (rule.decision !== 'allow') return this.named().some(test) || this.behindLinks().some(test);
    const name = namesAbsolutePath(rule) ? this.absolute() : this.given();
    return test(name) && (this.behindLinks().length === 0 || this.behindLinks().some(test));
  }

  private named(): string[] {
    return this.hasPaths ? [this.given(), this.absolute(), this.relative()] : [this.given()];
  }

  private given(): string {
    return this.text('given', (path) => path);
  }

  private absolute(): string {
    return this.text('absolute', (path) => resolve(this.root, path));
  }

  private relative(): string {
    return this.text('relative', (path) => relative(this.root, resolve(this.root, path)) || '.');
  }

  private text(form: string, change: (path: string) => string): string {
    let text = this.texts.get(form);
    if (text === undefined) {
      text = stableJson(this.hasPaths ? mapPaths(this.args, change) : this.args);
      this.texts.set(form, text);
    }
    return text;
  }

  /** Empty when no name leads through a link. */
  private behindLinks(): readonly string[] {
    this.linked ??= this.hasPaths && PATH_KEYS.some((key) => this.isLink(this.args[key])) ? this.realTexts() : [];
    return this.linked;
  }

  private isLink(path: unknown): boolean {
    if (typeof path !== 'string') return false;
    const absolute = resolve(this.root, path);
    const isBelow = isInside(absolute, this.root);
    return realPathOf(absolute) !== (isBelow ? join(realPathOf(this.root), relative(this.root, absolute)) : absolute);
  }

  private realTexts(): string[] {
    const root = realPathOf(this.root);
    const real = (path: string) => realPathOf(resolve(this.root, path));
    return [this.text('real', real), this.text('real relative', (path) => relative(root, real(path)) || '.')];
  }
}
