/** `/agents config <name>`: shows a sub-agent's fields and changes them, each at once and in the user's file. */

import type { AgentDefinition } from '@castor/core/program';
import { changeField, fieldsOf, showField } from '../../slash/agent-fields.ts';
import type { AgentField } from '../../slash/agent-fields.ts';
import type { CommandContext } from '../../slash/command.ts';
import type { App } from '../app/app.ts';

interface Choice {
  readonly field: AgentField;
  readonly isReset: boolean;
}

export async function configureAgent(
  app: App,
  name: string,
  { agent, services, signal }: CommandContext,
): Promise<void> {
  const session = await agent.agents?.load();
  for (let initial = 0; ;) {
    const found = session?.registry.all.find((each) => each.name === name);
    if (!session || !found) return;
    const fields = fieldsOf(found);
    const choice = await app.dialogs.choose<Choice>(
      {
        title: `Sub-agent ${name}`,
        initial,
        options: fields.map((field) => ({
          label: field.title,
          value: { field, isReset: false },
          hint: showField(field, found),
          about: `agents.overrides.${name}.${field.path.join('.')}: ${field.expected}`,
        })),
        remove: ({ field }) => ({ field, isReset: true }),
        enters: 'changes it',
        keys: [['del', 'default']],
      },
      signal,
    );
    if (!choice) return;
    initial = fields.indexOf(choice.field);
    const answer = choice.isReset ? { value: undefined } : await ask(app, choice.field, found, signal);
    if (!answer) continue;
    const problem = await changeField(session, services, { agent: name, field: choice.field, value: answer.value });
    if (problem !== undefined) app.fail(problem);
  }
}

/** Undefined when the user cancelled. */
async function ask(
  app: App,
  field: AgentField,
  agent: AgentDefinition,
  signal: AbortSignal,
): Promise<{ value: unknown } | undefined> {
  if (field.name === 'enabled') return { value: !field.current(agent) };
  const check = (text: string) =>
    text.trim() === '' || field.parse(text) !== undefined ? undefined : `Expected ${field.expected}.`;
  const title = `${field.title} (empty: the default)`;
  const text = await app.dialogs.askText({ title, placeholder: showField(field, agent), check }, signal);
  return text === undefined ? undefined : { value: text.trim() === '' ? undefined : field.parse(text) };
}
