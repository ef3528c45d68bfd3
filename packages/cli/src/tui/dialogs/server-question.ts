/**
 * Asks the user what an MCP server wants: data in a form, a page to open, or an answer of the model. It names the
 * server, shows all that is sent, and warns before a secret is entered. Castor's own forms are asked here too. Escape never
 * accepts.
 */

import { readFormText } from '@castor/core/program';
import { getErrorMessage } from '@castor/core';
import type { FormField, FormValue, ServerAnswer, ServerQuestion } from '@castor/core/program';
import { makeVisible, makeVisibleLine } from '../../make-visible.ts';
import { wrapRows } from '../text/wrap-rows.ts';
import type { DialogHost, HeldKeyboard } from './dialog-host.ts';
import type { DialogSpace } from './dialog.ts';

type Form = Extract<ServerQuestion, { type: 'form' }>;
type Rows = (space: DialogSpace) => string[];

const DONE = '\0done';
const SKIP = '\0skip';
const DROPPED = 'What you typed was dropped: choose an answer here first.';

export async function askServerQuestion(
  question: ServerQuestion,
  host: DialogHost,
  signal: AbortSignal,
): Promise<ServerAnswer> {
  switch (question.type) {
    case 'form':
      return question.ownTitle === undefined
        ? askForm(question, host, signal)
        : askOwn(question, question.ownTitle, host, signal);
    case 'url':
      return askUrl(question, host, signal);
    case 'sampling':
      return askSampling(question, host, signal);
  }
}

/** A question of Castor's own, which begins with its first field: no server is told anything. */
async function askOwn(form: Form, title: string, host: DialogHost, signal: AbortSignal): Promise<ServerAnswer> {
  using keyboard = host.hold();
  const content: Record<string, FormValue> = {};
  for (const field of form.fields) {
    // Its message is the question, and its answers say yes or no.
    const described = { ...field, title: '', description: form.message };
    const value = await askField(described, title, form.server, keyboard, signal);
    if (value === undefined) return { action: 'cancel' };
    if (value !== SKIP) content[field.name] = value;
  }
  return { action: 'accept', content };
}

async function askForm(form: Form, host: DialogHost, signal: AbortSignal): Promise<ServerAnswer> {
  using keyboard = host.hold();
  const title = `The MCP server ${makeVisibleLine(form.server)} asks for data`;
  const names = form.fields.map(({ title: name }) => makeVisibleLine(name)).join(', ');
  const body: Rows = (space) => [
    ...paragraph(form.message, space),
    ...wrapRows(space.styles.secondary(`Your answers are sent to the server: ${names || 'a confirmation'}`), {
      width: space.width - 4,
    }),
    ...(form.fields.some(({ isSecret }) => isSecret) ? secretWarning(form.server, space) : []),
    ...droppedNote(keyboard, space),
  ];
  const start = await keyboard.choose<ServerAnswer['action']>(
    {
      title,
      body,
      options: [
        { label: form.fields.length === 0 ? 'Confirm' : 'Answer', value: 'accept' },
        { label: 'Decline', value: 'decline', hint: 'the server is told no' },
        { label: 'Cancel', value: 'cancel', hint: 'the server is told that you did not answer' },
      ],
      escape: 'cancel',
      escapes: 'cancels',
    },
    signal,
  );
  if (start !== 'accept') return { action: start ?? 'cancel' };
  const content: Record<string, FormValue> = {};
  for (const [index, field] of form.fields.entries()) {
    const value = await askField(field, `${index + 1}/${form.fields.length} · ${title}`, form.server, keyboard, signal);
    if (value === undefined) return { action: 'cancel' };
    if (value !== SKIP) content[field.name] = value;
  }
  return { action: 'accept', content };
}

/** Undefined when the user leaves the form; SKIP for an optional field without an answer. */
async function askField(
  field: FormField,
  title: string,
  server: string,
  keyboard: HeldKeyboard,
  signal: AbortSignal,
): Promise<FormValue | undefined> {
  const label = `${makeVisibleLine(field.title)}${field.isRequired ? '' : ' (optional)'}`;
  const body: Rows = (space) => [
    ...(label === '' ? [] : wrapRows(space.styles.bold(label), { width: space.width - 4 })),
    ...paragraph(field.description, space),
    ...(field.isSecret ? secretWarning(server, space) : []),
    ...droppedNote(keyboard, space),
  ];
  const skip = field.isRequired ? [] : [{ label: 'No answer', value: SKIP }];
  if (field.kind === 'boolean') {
    const options = [{ label: 'Yes', value: 'yes' }, { label: 'No', value: 'no' }, ...skip];
    const initial = field.preset === false ? 1 : 0;
    const chosen = await keyboard.choose({ title, body, options, initial }, signal);
    return chosen === undefined || chosen === SKIP ? chosen : chosen === 'yes';
  }
  if (field.kind === 'choice') {
    const options = [...optionsOf(field), ...skip];
    const initial = Math.max(
      0,
      options.findIndex(({ value }) => value === field.preset),
    );
    return keyboard.choose({ title, body, options, initial, ...(label === '' && { escapes: 'no' }) }, signal);
  }
  if (field.kind === 'choices') return askSeveral(field, { title, body }, keyboard, signal);
  return askText(field, { title, body }, keyboard, signal);
}

async function askText(
  field: FormField,
  question: { title: string; body: Rows },
  keyboard: HeldKeyboard,
  signal: AbortSignal,
): Promise<FormValue | undefined> {
  const preset = typeof field.preset === 'string' || typeof field.preset === 'number' ? String(field.preset) : '';
  const effective = (text: string) => (text === '' ? preset : text);
  const text = await keyboard.askText(
    {
      ...question,
      isSecret: field.isSecret,
      placeholder: preset === '' ? '' : makeVisibleLine(preset),
      keys: 'enter answers · esc leaves the form',
      check: (typed) => {
        try {
          readFormText(field, effective(typed));
          return undefined;
        } catch (error) {
          return getErrorMessage(error);
        }
      },
    },
    signal,
  );
  return text === undefined ? undefined : (readFormText(field, effective(text)) ?? SKIP);
}

async function askSeveral(
  field: FormField,
  question: { title: string; body: Rows },
  keyboard: HeldKeyboard,
  signal: AbortSignal,
): Promise<FormValue | undefined> {
  const chosen = new Set<string>(Array.isArray(field.preset) ? (field.preset as readonly string[]) : []);
  const { minItems = 0, maxItems = Infinity } = field;
  for (let initial = 0; ;) {
    const isDone = chosen.size >= minItems && chosen.size <= maxItems;
    const marked = optionsOf(field).map(({ label, value }) => ({
      label: `${chosen.has(value) ? '✓' : '☐'} ${label}`,
      value,
    }));
    const done = isDone ? [{ label: 'Done', value: DONE }] : [];
    const value = await keyboard.choose({ ...question, options: [...marked, ...done], initial }, signal);
    if (value === undefined) return undefined;
    if (value === DONE) return optionsOf(field).flatMap((option) => (chosen.has(option.value) ? [option.value] : []));
    if (!chosen.delete(value)) chosen.add(value);
    initial = marked.findIndex((option) => option.value === value);
  }
}

function optionsOf({ options = [] }: FormField): { label: string; value: string }[] {
  return options.map(({ label, value }) => ({ label: makeVisibleLine(label), value }));
}

async function askUrl(
  { server, message, url }: Extract<ServerQuestion, { type: 'url' }>,
  host: DialogHost,
  signal: AbortSignal,
): Promise<ServerAnswer> {
  const { host: site } = new URL(url);
  const action = await host.choose<ServerAnswer['action']>(
    {
      title: `The MCP server ${makeVisibleLine(server)} asks you to open a page of ${makeVisibleLine(site)}`,
      body: (space) => [
        ...paragraph(message, space),
        ...wrapRows(space.styles.link(makeVisibleLine(url)), { width: space.width - 4 }),
        ...wrapRows(space.styles.secondary('Castor does not open it. Open it yourself if you trust the page.'), {
          width: space.width - 4,
        }),
      ],
      options: [
        { label: 'Continue', value: 'accept', hint: 'you open the page' },
        { label: 'Decline', value: 'decline', hint: 'the server is told no' },
        { label: 'Cancel', value: 'cancel', hint: 'the server is told that you did not answer' },
      ],
      initial: 1,
      escape: 'cancel',
      escapes: 'cancels',
    },
    signal,
  );
  return { action: action ?? 'cancel' };
}

async function askSampling(
  { server, request }: Extract<ServerQuestion, { type: 'sampling' }>,
  host: DialogHost,
  signal: AbortSignal,
): Promise<ServerAnswer> {
  const answer = await host.choose<'once' | 'session' | 'no'>(
    {
      title: `The MCP server ${makeVisibleLine(server)} wants to ask the model, at your cost`,
      body: (space) => [
        ...(request.system === undefined
          ? []
          : [space.styles.secondary('system'), ...paragraph(request.system, space)]),
        ...request.contents.flatMap(({ role, parts = [] }) => [
          space.styles.secondary(role === 'model' ? 'assistant' : 'user'),
          ...parts.flatMap(({ text, inlineData }) =>
            paragraph(
              text ?? `[${inlineData?.mimeType ?? 'media'}, ${inlineData?.data?.length ?? 0} characters]`,
              space,
            ),
          ),
        ]),
        ...wrapRows(space.styles.secondary(`an answer of at most ${request.maxTokens} tokens goes to the server`), {
          width: space.width - 4,
        }),
      ],
      options: [
        { label: 'Allow once', value: 'once' },
        { label: 'Allow for this session', value: 'session', hint: 'every question of this server' },
        { label: 'No', value: 'no' },
      ],
      initial: 2,
      escape: 'no',
      escapes: 'no',
    },
    signal,
  );
  return answer === 'once' || answer === 'session'
    ? { action: 'accept', isLasting: answer === 'session' }
    : { action: 'decline' };
}

function paragraph(text: string, { width }: DialogSpace): string[] {
  return text === ''
    ? []
    : makeVisible(text)
        .split('\n')
        .flatMap((line) => wrapRows(line, { width: width - 4 }));
}

function droppedNote({ hasDropped }: HeldKeyboard, { styles, width }: DialogSpace): string[] {
  return hasDropped ? wrapRows(styles.warning(DROPPED), { width: width - 4 }) : [];
}

function secretWarning(server: string, { styles, width }: DialogSpace): string[] {
  const words = `This looks like a secret. What you enter is sent to the MCP server ${makeVisibleLine(server)} as it is.`;
  return wrapRows(styles.warning(`! ${words}`), { width: width - 4, rest: '  ' });
}
