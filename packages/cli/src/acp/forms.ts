/** Questions of the model and of MCP servers as forms of the protocol, and the filled forms as answers. Pure. */

import type { AskUserQuestion } from '@castor/core';
import type { FormField, FormValue, ServerQuestion } from '@castor/core/program';
import { makeVisible, makeVisibleLine } from '../make-visible.ts';

/** Some editors accept a form that is not filled in. */
const UNANSWERED = 'The user left this question unanswered.';

type Schema = Readonly<Record<string, unknown>>;

export interface Form extends Record<string, unknown> {
  readonly message: string;
  readonly requestedSchema: Schema;
}

export function askUserForm(questions: readonly AskUserQuestion[]): Form {
  const properties = questions.map((question, index) => [nameOf(index), askUserField(question)] as const);
  return {
    message: 'Castor has a question.',
    requestedSchema: {
      type: 'object',
      properties: Object.fromEntries(properties),
      required: properties.map(([name]) => name),
    },
  };
}

function nameOf(index: number): string {
  return `answer_${index + 1}`;
}

function askUserField({ question, header, type, options = [], multiSelect = false }: AskUserQuestion): Schema {
  const words = { title: makeVisibleLine(header || question), description: makeVisible(question) };
  if (type === 'yesno') return { type: 'string', ...words, enum: ['Yes', 'No'] };
  if (type !== 'choice' || options.length === 0) return { type: 'string', ...words };
  const choices = options.map(({ label, description }) => ({
    const: label,
    title: makeVisibleLine(description === '' ? label : `${label}: ${description}`),
  }));
  return multiSelect
    ? { type: 'array', ...words, items: { anyOf: choices } }
    : { type: 'string', ...words, oneOf: choices };
}

export function answersIn(questions: readonly AskUserQuestion[], content: Schema): Record<string, string> {
  return Object.fromEntries(
    questions.map((_question, index) => {
      const given = content[nameOf(index)];
      const answers = (Array.isArray(given) ? given : [given]).filter((each) => typeof each === 'string');
      return [String(index), answers.join(', ') || UNANSWERED];
    }),
  );
}

type ServerForm = Extract<ServerQuestion, { type: 'form' }>;

export function serverForm({ server, ownTitle, message, fields }: ServerForm): Form {
  const warning = fields.some(({ isSecret }) => isSecret) ? '\nIt seems to ask for a secret.' : '';
  const asker = ownTitle !== undefined ? '' : `The MCP server ${makeVisibleLine(server)} asks for data: `;
  return {
    message: `${asker}${makeVisible(message)}${warning}`,
    requestedSchema: {
      type: 'object',
      properties: Object.fromEntries(fields.map((field) => [field.name, serverField(field)])),
      required: fields.filter(({ isRequired }) => isRequired).map(({ name }) => name),
    },
  };
}

function serverField(field: FormField): Schema {
  const { kind, title, description, options = [], preset, format, minimum, maximum } = field;
  const { minLength, maxLength, minItems, maxItems } = field;
  const words = {
    title: makeVisibleLine(title),
    ...(description !== '' && { description: makeVisible(description) }),
    ...(preset !== undefined && { default: preset }),
  };
  const choices = options.map(({ value, label }) => ({ const: value, title: makeVisibleLine(label) }));
  switch (kind) {
    case 'choice':
      return { type: 'string', ...words, oneOf: choices };
    case 'choices':
      return { type: 'array', ...words, items: { anyOf: choices }, ...defined({ minItems, maxItems }) };
    case 'number':
    case 'integer':
      return { type: kind, ...words, ...defined({ minimum, maximum }) };
    case 'boolean':
      return { type: kind, ...words };
    case 'text':
      return { type: 'string', ...words, ...defined({ format, minLength, maxLength }) };
  }
}

/** Only fields the server asked for; undefined where a required one is missing. */
export function serverContent(fields: readonly FormField[], content: Schema): Record<string, FormValue> | undefined {
  if (fields.some(({ name, isRequired }) => isRequired && !isFormValue(content[name]))) return undefined;
  return Object.fromEntries(
    fields.flatMap(({ name }) => (isFormValue(content[name]) ? [[name, content[name]] as const] : [])),
  );
}

function isFormValue(value: unknown): value is FormValue {
  if (Array.isArray(value)) return value.every((each) => typeof each === 'string');
  return ['string', 'number', 'boolean'].includes(typeof value);
}

function defined(fields: Schema): Schema {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
