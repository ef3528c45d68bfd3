/**
 * `/settings`: shows every setting with an effect, its value and its origin; writes a choice to the user's own file, or
 * to that of a trusted project, after validating it against the table.
 */

import { getErrorMessage } from '@castor/core';
import { explainSetting, fitShape, listSettings, saveSetting, workspaceSettingsPath } from '@castor/core/program';
import type { NamedSetting } from '@castor/core/program';
import { createMask } from '../../mask-secrets.ts';
import type { App } from '../app/app.ts';
import { userSettingsFile } from '../app/command-services.ts';
import type { DialogSpace } from '../dialogs/dialog.ts';
import { reloadSettings } from '../app/apply-settings.ts';
import { wrapRows } from '../text/wrap-rows.ts';
import { groupOfSetting, groupSettings, titleOfSetting } from './setting-groups.ts';

/** Editable as one line of text. */
const EDITABLE: ReadonlySet<string | undefined> = new Set(['boolean', 'string', 'number', 'integer']);

/** Settings the screen reads on each use; the agent reads its own when it is opened. */
const HOLDS_AT_ONCE =
  /^(?:ui\.|general\.(?:vimMode|preferredEditor|openEditorInNewWindow|enableNotifications|notificationMethod)|experimental\.modelSteering)/;

type Scope = 'user' | 'workspace';

/** What a key does to the chosen setting. */
interface Choice {
  readonly setting: NamedSetting;
  readonly action: 'ask' | 'next' | 'previous' | 'default';
}

/** Cells of a value that is not the default. */
const VALUE_CELLS = 10;

const OWNERS: Readonly<Record<Scope, string>> = { user: 'for you', workspace: 'for this project' };

export async function chooseSettings(app: App, signal: AbortSignal): Promise<void> {
  const settings = groupSettings(listSettings().filter(isOffered));
  let scope: Scope = 'user';
  let query = '';
  const changed = new Set<string>();
  for (let initial = 0; ;) {
    let active = settings[initial];
    const other: Scope = scope === 'user' ? 'workspace' : 'user';
    const hasOther = hasProjectFile(app);
    const chosen: Choice | 'other' | undefined = await app.dialogs.choose<Choice | 'other'>(
      {
        title: `Settings ${OWNERS[scope]}`,
        search: true,
        tellsBeside: true,
        ...(hasOther && { tab: 'other' }),
        initial,
        onMove: (each) => {
          if (each !== 'other') active = each.setting;
        },
        query,
        onQuery: (typed) => {
          query = typed;
        },
        options: settings.map((setting) => ({
          label: titleOfSetting(setting),
          value: { setting, action: 'ask' },
          hint: hintOf(app, setting),
          group: groupOfSetting(setting),
          about: setting.definition.summary,
          aside: `${setting.key}${HOLDS_AT_ONCE.test(setting.key) ? ' · holds at once' : ''}`,
        })),
        toggle: (each) => act(each, 'next'),
        keyed: { left: (each) => act(each, 'previous'), right: (each) => act(each, 'next') },
        remove: (each) => act(each, 'default'),
        enters: 'edits',
        keys: [['← →', 'switch'], ['del', 'default'], ...(hasOther ? ([['tab', OWNERS[other]]] as const) : [])],
      },
      signal,
    );
    if (!chosen) return tellChanges(app, [...changed]);
    if (chosen === 'other') {
      scope = other;
      initial = Math.max(active ? settings.indexOf(active) : 0, 0);
    } else {
      initial = query === '' ? settings.indexOf(chosen.setting) : 0;
      if (await change(app, chosen, { scope, signal })) changed.add(chosen.setting.key);
    }
  }
}

function act(choice: Choice | 'other', action: Choice['action']): Choice | 'other' {
  return choice === 'other' ? choice : { ...choice, action };
}

/** What the list leaves behind. */
function tellChanges(app: App, keys: readonly string[]): void {
  if (keys.length > 0) app.info(keys.map((key) => `${key}: ${show(app, key, explain(app, key).value)}`).join(' · '));
}

/** A folder's settings count only where it is trusted; in the home folder they are the user's own file. */
function hasProjectFile({ state, options: { cwd, home } }: App): boolean {
  return state.start?.trustedFolder === true && cwd !== home;
}

function isOffered({ key, definition: { shape }, noEffect }: NamedSetting): boolean {
  return noEffect === undefined && !key.startsWith('admin.') && key !== '$schema' && EDITABLE.has(shape.type);
}

/** The value, and its origin unless it is the default. */
function hintOf(app: App, { key }: NamedSetting): string {
  const { value, sources } = explain(app, key);
  const winner = sources.find(({ outcome }) => outcome === 'wins');
  const isDefault = winner === undefined || winner.scope === 'defaults';
  if (isDefault) return show(app, key, value);
  const where = (winner.where ?? winner.scope).replace(app.options.home, '~').replace(/:\d+$/, '');
  return `${`${show(app, key, value)} *`.padEnd(VALUE_CELLS)}  ${where}`;
}

function explain({ state: { start } }: App, key: string) {
  return start ? explainSetting(key, start.configuration) : { value: undefined, sources: [] };
}

function show({ options }: App, key: string, value: unknown): string {
  if (value === undefined) return '–';
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  const masked = createMask(options.environment)(key, value);
  return typeof masked === 'string' ? masked || '–' : JSON.stringify(masked);
}

async function change(
  app: App,
  { setting, action }: Choice,
  { scope, signal }: { scope: Scope; signal: AbortSignal },
): Promise<boolean> {
  const answer = quickAnswer(app, setting, action) ?? (await ask(app, setting, signal));
  if (!answer) return false;
  const { key } = setting;
  try {
    saveSetting(scope === 'user' ? userSettingsFile(app) : workspaceSettingsPath(app.options.cwd), key, answer.value);
    const problem = reloadSettings(app);
    if (problem !== undefined) {
      app.fail(problem);
      return false;
    }
    const { value, sources } = explain(app, key);
    const winner = sources.find(({ outcome }) => outcome === 'wins');
    const isOverruled = answer.value !== undefined && value !== answer.value;
    if (isOverruled)
      app.toast(`${key} is saved, but ${winner?.where ?? winner?.scope ?? 'another file'} overrides it.`);
    else app.toast(`${key}: ${show(app, key, value)}${HOLDS_AT_ONCE.test(key) ? '' : ', from the next start'}.`);
    return true;
  } catch (error) {
    app.fail(getErrorMessage(error));
    return false;
  }
}

type Answer = { readonly value: unknown } | undefined;

/** Undefined where the user has to be asked: a key only switches between values that are known. */
function quickAnswer(app: App, { key, definition }: NamedSetting, action: Choice['action']): Answer {
  if (action === 'default') return { value: undefined };
  const { shape } = definition;
  const values: readonly unknown[] | undefined = shape.type === 'boolean' ? [true, false] : shape.enum;
  if (action === 'ask' || !values) return undefined;
  const index = values.indexOf(explain(app, key).value);
  const step = action === 'next' ? 1 : -1;
  return { value: values[(Math.max(index, 0) + step + values.length) % values.length] };
}

/** Undefined when the user cancelled. */
async function ask(app: App, { key, definition }: NamedSetting, signal: AbortSignal): Promise<Answer> {
  const { shape, summary } = definition;
  const body = ({ width, styles }: DialogSpace) => wrapRows(styles.secondary(summary), { width: width - 4 });
  const values = shape.type === 'boolean' ? [true, false] : shape.enum;
  if (values) {
    const options = values.map((value) => ({ label: String(value), value: { value: value as unknown } }));
    const usual = { label: `default (${show(app, key, definition.default)})`, value: { value: undefined } };
    const initial = values.findIndex((value) => value === explain(app, key).value);
    return app.dialogs.choose(
      { title: key, body, options: [...options, usual], initial: Math.max(initial, 0) },
      signal,
    );
  }
  const placeholder = show(app, key, explain(app, key).value);
  const check = (text: string) => {
    const [problem] = text.trim() === '' ? [] : fitShape(toValue(text, shape.type), shape).problems;
    return problem && `Expected ${problem.expected}.`;
  };
  const text = await app.dialogs.askText({ title: `${key} (empty: the default)`, body, placeholder, check }, signal);
  if (text === undefined) return undefined;
  return { value: text.trim() === '' ? undefined : toValue(text, shape.type) };
}

function toValue(text: string, type: string | undefined): unknown {
  return type === 'string' ? text.trim() : Number(text.trim());
}
