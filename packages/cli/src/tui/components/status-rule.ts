/**
 * Renders the rule above the composer, which is the footer: on the left what matters most now, on the right the parts
 * the user has chosen. Where it is narrow the folder shrinks first, then parts go from the left, the model last. Pure.
 */

import type { ApprovalMode } from '@castor/core';
import type { FooterItem } from '../../footer-item-names.ts';
import { sanitizeLine } from '../../sanitize.ts';
import { MODE_NAMES } from '../conversation/approval-modes.ts';
import type { ComposerSnapshot } from '../input/composer-contract.ts';
import { renderRule } from '../render/rule.ts';
import { graphemesIn, rowWidth, shortenRow } from '../text/row-width.ts';
import type { Style, Styles } from '../theme/styles.ts';

export interface FooterState {
  readonly folder: string;
  readonly branch: string | undefined;
  readonly model: string;
  /** From 0 to 1; undefined before the first answer. */
  readonly contextUsed: number | undefined;
  readonly isTrusted: boolean;
  /** Commands that run in the background. */
  readonly inBackground?: number;
  /** In their order. */
  readonly items: readonly FooterItem[];
  /** The values of the items besides the above; absent when disabled. */
  readonly more?: Readonly<Partial<Record<FooterItem, string>>>;
  /** The line of the user's own command, in place of the parts. */
  readonly own?: string | undefined;
}

export interface RuleState {
  readonly toast?: string | undefined;
  /** Why the model cannot be asked. */
  readonly initError?: string | undefined;
  readonly mode: ApprovalMode;
  /** Undefined: the bare rule. */
  readonly footer?: FooterState | undefined;
}

const [NEARLY_FULL, FULL] = [0.8, 0.95];
const MOST_BRANCH_CELLS = 24;
const LEAST_FOLDER_CELLS = 8;

type Part = readonly [text: string, style: Style];
/** What is left of a rule beside the words. */
const AROUND = 12;

export function renderStatusRule(snapshot: ComposerSnapshot, state: RuleState, styles: Styles): string {
  const width = snapshot.columns;
  const [text, style] = leftOf(snapshot, state, styles);
  const left = text === '' ? '' : style(text);
  const room = width - rowWidth(left) - (left === '' ? AROUND - 4 : AROUND);
  const right = state.footer ? footerText(state.footer, styles, room) : '';
  const border = snapshot.isShell ? { ...styles, border: styles.warning } : styles;
  return renderRule({ styles: border, width, left, right });
}

/** The first that applies. */
function leftOf(snapshot: ComposerSnapshot, { toast, initError, mode, footer }: RuleState, styles: Styles): Part {
  const { search, notice, isShell, vimMode, vimPending, hiddenAbove, hiddenBelow } = snapshot;
  if (toast !== undefined) return [toast, styles.warning];
  if (notice !== undefined) return [sanitizeLine(notice), styles.warning];
  if (search !== undefined)
    return [
      `history: ${search.query}`.trimEnd(),
      search.hasMatch || search.query === '' ? styles.primary : styles.error,
    ];
  if (initError !== undefined)
    return [`no agent: ${shortenRow(sanitizeLine(initError), snapshot.columns - 20)}`, styles.error];
  if (footer && MODE_NAMES[mode] !== '') return [MODE_NAMES[mode], mode === 'yolo' ? styles.error : styles.warning];
  if (isShell) return ['shell', styles.warning];
  if (vimMode !== undefined) return [`${vimMode}${vimPending === '' ? '' : ` ${vimPending}`}`, styles.secondary];
  const hidden = [hiddenAbove > 0 && `↑ ${hiddenAbove}`, hiddenBelow > 0 && `↓ ${hiddenBelow}`].filter(Boolean);
  return [hidden.join(' '), styles.secondary];
}

function footerText(footer: FooterState, styles: Styles, room: number): string {
  if (footer.own !== undefined) return shortenRow(footer.own, Math.max(room, 0));
  const join = (parts: readonly Part[]) => parts.map(([text, style]) => style(text)).join(styles.secondary(' · '));
  for (const folderCells of [Infinity, 24, LEAST_FOLDER_CELLS]) {
    const text = join(partsOf(footer, styles, folderCells));
    if (rowWidth(text) <= room) return text;
  }
  const parts = partsOf(footer, styles, LEAST_FOLDER_CELLS);
  const isModel = ([text]: Part) => text === sanitizeLine(footer.model);
  while (parts.length > 1 && rowWidth(join(parts)) > room) {
    const first = parts.findIndex((part) => !isModel(part));
    parts.splice(Math.max(first, 0), 1);
  }
  return join(parts);
}

function partsOf(footer: FooterState, styles: Styles, folderCells: number): Part[] {
  const { isTrusted, inBackground = 0, items } = footer;
  const parts: Part[] = [
    [isTrusted ? '' : 'untrusted', styles.warning],
    [inBackground === 0 ? '' : `${inBackground} in background`, styles.accent],
    ...items.map((item) => partOf(item, footer, styles, folderCells)),
  ];
  return parts.filter(([text]) => text !== '');
}

function partOf(item: FooterItem, footer: FooterState, styles: Styles, folderCells: number): Part {
  const { folder, branch, model, contextUsed, items, more } = footer;
  const named = branch === undefined ? '' : sanitizeLine(branch);
  switch (item) {
    case 'workspace': {
      const suffix = named !== '' && items.includes('git-branch') ? ` (${shortenRow(named, MOST_BRANCH_CELLS)})` : '';
      return [`${shortenPath(sanitizeLine(folder), folderCells)}${suffix}`, styles.secondary];
    }
    case 'git-branch':
      // Beside the folder it is part of that item.
      return [items.includes('workspace') ? '' : named, styles.secondary];
    case 'model-name':
      return [sanitizeLine(model), styles.primary];
    case 'context-used':
      return contextPart(contextUsed, styles);
    default:
      return [sanitizeLine(more?.[item] ?? ''), styles.secondary];
  }
}

function contextPart(used: number | undefined, styles: Styles): Part {
  if (used === undefined) return ['', styles.secondary];
  const text = `${Math.round(used * 100)} %`;
  if (used >= FULL) return [`${text} /compress`, styles.error];
  return [text, used >= NEARLY_FULL ? styles.warning : styles.secondary];
}

/** The end of a path is more useful than its beginning. */
function shortenPath(path: string, cells: number): string {
  if (rowWidth(path) <= cells) return path;
  let rest = path;
  while (rowWidth(rest) >= cells) rest = rest.slice([...graphemesIn(rest.slice(0, 64))][0]?.length ?? 1);
  const slash = rest.indexOf('/');
  return `…${slash > 0 ? rest.slice(slash) : rest}`;
}
