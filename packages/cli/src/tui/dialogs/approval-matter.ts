/**
 * What a question about a call shows: everything the call would do, with every token and every invisible character.
 * Pure.
 */

import { assertNever } from '@castor/core';
import type { ToolCallConfirmationDetails } from '@castor/core';
import { countOf } from '@castor/core/program';
import { makeVisible, makeVisibleLine } from '../../make-visible.ts';
import { renderDiff } from '../render/diff.ts';
import type { Grammars } from '../render/highlight.ts';
import { countChanges } from '../render/parse-diff.ts';
import { wrapRows } from '../text/wrap-rows.ts';
import type { Styles } from '../theme/styles.ts';
import { risksOf } from './command-risks.ts';

/** The details with a yes or no answer; questions and plans have dialogs of their own. */
export type ActionDetails = Exclude<ToolCallConfirmationDetails, { type: 'ask_user' | 'exit_plan_mode' }>;

export interface MatterOptions {
  readonly styles: Styles;
  readonly width: number;
  /** Where a command runs, as the user knows the folder. */
  readonly folder?: string | undefined;
  readonly grammars?: (() => Grammars | undefined) | undefined;
  /** What an MCP server says of its tool. */
  readonly says?: string | undefined;
}

export interface ActionTitle {
  readonly title: string;
  /** Beside the title: lines added and removed. */
  readonly facts?: string;
  /** Why it is asked. */
  readonly why?: string;
}

/** A description is the server's own praise: enough of it to know the tool. */
const MOST_DESCRIPTION = 300;
/** Hosts that only this machine or its network has. */
const PRIVATE_HOST =
  /^\w+:\/\/(?:[^/@]*@)?(?:localhost|127\.|10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|169\.254\.|0\.0\.0\.0|\[|[^/.:]+(?:[:/]|$))/i;
/** Where a long command line is broken: before what joins two commands, after a semicolon. */
const OPERATORS = / (?=(?:&&|\|\||\||;)(?:\s|$))|(?<=[^\s\\];) (?=\S)/g;

/** `relative` names a file as the user knows it. */
export function titleOfAction(
  details: ActionDetails,
  styles: Styles,
  relative: (path: string) => string = (path) => path,
): ActionTitle {
  switch (details.type) {
    case 'edit': {
      const { added, removed } = countChanges(details.fileDiff);
      const facts = [added > 0 && styles.success(`+${added}`), removed > 0 && styles.error(`−${removed}`)];
      const verb = details.isNewFile === true ? 'Write' : 'Edit';
      return {
        title: `${verb} ${makeVisibleLine(relative(details.filePath))}`,
        facts: facts.filter(Boolean).join(' '),
      };
    }
    case 'exec':
      return { title: 'Run a command', ...(details.reason !== undefined && { why: makeVisibleLine(details.reason) }) };
    case 'mcp':
      return { title: `Use ${makeVisibleLine(details.serverName)}: ${makeVisibleLine(details.toolName)}` };
    case 'info':
      return details.urls?.length
        ? { title: `Fetch ${countOf(details.urls.length, 'page')}` }
        : { title: makeVisibleLine(details.title) };
    case 'sandbox_expansion':
      return { title: 'Leave the sandbox' };
    default:
      return assertNever(details);
  }
}

/** What makes a yes dangerous; with any, Enter means no. */
export function risksOfAction(details: ActionDetails): readonly string[] {
  if (details.type === 'sandbox_expansion') return risksOf(details.command);
  if (details.type === 'exec') {
    const { command, notKept } = details;
    return notKept === undefined ? risksOf(command) : [...risksOf(command), makeVisibleLine(notKept)];
  }
  const isPrivate = details.type === 'info' && details.urls?.some((url) => PRIVATE_HOST.test(url));
  return isPrivate ? ['reaches this machine or its network'] : [];
}

export function describeAction(details: ActionDetails, options: MatterOptions): string[] {
  const { styles, width, folder } = options;
  switch (details.type) {
    case 'edit':
      return describeEdit(details, options);
    case 'exec':
      return [
        ...describeCommand(details.command, styles, width),
        ...(folder === undefined ? [] : wrapRows(styles.secondary(`in ${makeVisibleLine(folder)}`), { width })),
        ...riskRows(details, styles, width),
      ];
    case 'info':
      return [
        ...wrapRows(makeVisible(details.prompt), { width }),
        ...(details.urls ?? []).flatMap((url) => wrapRows(hostOf(url, styles), { width, rest: '  ' })),
        ...riskRows(details, styles, width),
      ];
    case 'mcp':
      return describeServerCall(details, options);
    case 'sandbox_expansion':
      return [
        ...describeCommand(details.command, styles, width),
        ...permissionRows(details.permissions, styles, width),
        ...riskRows(details, styles, width),
      ];
    default:
      return assertNever(details);
  }
}

function describeEdit(details: Extract<ActionDetails, { type: 'edit' }>, options: MatterOptions): string[] {
  const { styles, width, grammars } = options;
  const { fileName, fileDiff } = details;
  return renderDiff(fileDiff, { styles, width, maxRows: Infinity, isWhole: true, fileName, grammars: grammars?.() });
}

/** Each path and host that is wanted, a row each. */
function permissionRows(permissions: Record<string, unknown>, styles: Styles, width: number): string[] {
  const widest = Math.max(0, ...Object.keys(permissions).map(({ length }) => length));
  return Object.entries(permissions).flatMap(([name, value]) => {
    const wanted = Array.isArray(value) ? (value as readonly unknown[]) : [value];
    const first = `${styles.secondary(makeVisibleLine(name).padEnd(widest))}  `;
    return wanted.flatMap((each) => {
      const text = typeof each === 'string' ? each : (JSON.stringify(each) ?? '');
      return wrapRows(styles.warning(makeVisibleLine(text)), { width, first });
    });
  });
}

function riskRows(details: ActionDetails, styles: Styles, width: number): string[] {
  const risks = risksOfAction(details);
  if (risks.length === 0) return [];
  if (styles.isSpoken) return [`Risk: ${risks.join(', ')}.`];
  return ['', ...wrapRows(styles.warning(risks.join(' · ')), { width, first: styles.warning('! ') })];
}

/** One that is too long for a row is broken before its operators first: each command begins a row. */
function describeCommand(command: string, styles: Styles, width: number): string[] {
  const lines = makeVisible(command).split('\n');
  if (styles.isSpoken) return lines.map((line, index) => (index === 0 ? `Command: ${line}` : line));
  const pieces = lines.flatMap((line) => (line.length + 2 > width ? line.split(OPERATORS) : [line]));
  return pieces.flatMap((piece, index) =>
    wrapRows(styles.symbol(piece), { width, first: index === 0 ? styles.secondary('$ ') : '  ', rest: '    ' }),
  );
}

/** The host tells where a page is. */
function hostOf(url: string, styles: Styles): string {
  const visible = makeVisibleLine(url);
  const match = /^(\w+:\/\/)([^/?#]+)(.*)$/.exec(visible);
  return match ? `${match[1]}${styles.bold(match[2] ?? '')}${match[3]}` : visible;
}

/** The whole arguments: the user approves what is sent. */
function describeServerCall(
  { args, changed, description = '' }: Extract<ActionDetails, { type: 'mcp' }>,
  { styles, width, says }: MatterOptions,
): string[] {
  const words = [says, ...(description === '' ? [] : [`says of itself: ${shortLine(description)}`])].filter(Boolean);
  return [
    ...(changed === undefined
      ? []
      : wrapRows(styles.warning(makeVisibleLine(changed)), { width, first: styles.isSpoken ? 'Warning: ' : '! ' })),
    ...argumentRows(args, styles, width),
    ...words.flatMap((each) => wrapRows(styles.secondary(each ?? ''), { width })),
  ];
}

function argumentRows(args: unknown, styles: Styles, width: number): string[] {
  if (typeof args !== 'object' || args === null) return [];
  const entries = Object.entries(args);
  const widest = Math.min(Math.max(0, ...entries.map(([name]) => name.length)), 24);
  return entries.flatMap(([name, value]) => {
    const first = `${styles.secondary(makeVisibleLine(name).padEnd(widest))}  `;
    return wrapRows(makeVisible(writeValue(value, width - widest - 2)), { width, first });
  });
}

/** In one row where it fits. */
function writeValue(value: unknown, room: number): string {
  if (typeof value === 'string') return value;
  const short = JSON.stringify(value) ?? '';
  return short.length <= room ? short : (JSON.stringify(value, null, 2) ?? '');
}

function shortLine(text: string): string {
  const line = makeVisibleLine(text.replaceAll(/\s+/g, ' '));
  return line.length <= MOST_DESCRIPTION ? line : `${line.slice(0, MOST_DESCRIPTION).toWellFormed()}…`;
}
