/**
 * Every name of telemetry that Gemini CLI has: either a run leaves it in the file, or it
 * belongs to something Castor does not have, and docs/telemetry.md says so. No run leaves
 * a name that is not listed here.
 */

import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { SCENES } from './scenes.ts';
import type { Told } from './told.ts';

type Scene = keyof typeof SCENES;

/** Where it is seen, or what it would need. */
type Place = Scene | { needs: string };

const EXTENSIONS = { needs: 'extensions' };
const SIGN_IN = { needs: 'signing in with Google' };
const CONSECA = { needs: 'Conseca' };

const EVENTS: Readonly<Record<string, Place>> = {
  'gemini_cli.config': 'program',
  'gemini_cli.user_prompt': 'edits',
  'gemini_cli.tool_call': 'edits',
  'gemini_cli.api_request': 'edits',
  'gemini_cli.api_response': 'edits',
  'gemini_cli.api_error': 'failures',
  'gemini_cli.flash_fallback': 'fallback',
  'gemini_cli.ripgrep_fallback': 'noRipgrep',
  'gemini_cli.next_speaker_check': 'nextSpeaker',
  'gemini_cli.slash_command': 'program',
  'gemini_cli.slash_command.model': 'terminal',
  'gemini_cli.chat_compression': 'compression',
  'gemini_cli.malformed_json_response': 'nextSpeaker',
  'gemini_cli.ide_connection': { needs: 'a record of connections to an editor' },
  'gemini_cli.conversation_finished': 'edits',
  'gemini_cli.file_operation': 'edits',
  'gemini_cli.chat.content_retry': 'failures',
  'gemini_cli.chat.content_retry_failure': 'unusable',
  'gemini_cli.chat.invalid_chunk': 'failures',
  'gemini_cli.network_retry_attempt': 'failures',
  'gemini_cli.model_routing': 'edits',
  'gemini_cli.llm_loop_check': 'judgedLoop',
  'gemini_cli.edit_strategy': 'edits',
  'gemini_cli.edit_correction': { needs: 'a model that corrects edits' },
  'gemini_cli.tool_output_truncated': 'longOutput',
  'gemini_cli.tool_output_masking': 'masking',
  'gemini_cli.startup_stats': 'program',
  'gemini_cli.hook_call': 'program',
  'gemini_cli.agent.start': 'agents',
  'gemini_cli.agent.finish': 'agents',
  'gemini_cli.agent.recovery_attempt': 'agents',
  'gemini_cli.web_fetch_fallback_attempt': 'webFetch',
  'gemini_cli.extension_install': EXTENSIONS,
  'gemini_cli.extension_uninstall': EXTENSIONS,
  'gemini_cli.extension_enable': EXTENSIONS,
  'gemini_cli.extension_disable': EXTENSIONS,
  'gemini_cli.extension_update': EXTENSIONS,
  'gemini_cli.rewind': 'terminal',
  'gemini_cli.plan.execution': 'plan',
  'gemini_cli.plan.approval_mode_switch': 'plan',
  'gemini_cli.plan.approval_mode_duration': 'plan',
  'gemini_cli.keychain.availability': SIGN_IN,
  'gemini_cli.token_storage.initialization': SIGN_IN,
  'gemini_cli.onboarding.start': SIGN_IN,
  'gemini_cli.onboarding.success': SIGN_IN,
  'gemini_cli.conseca.policy_generation': CONSECA,
  'gemini_cli.conseca.verdict': CONSECA,
  loop_detected: 'repeatedCalls',
  loop_detection_disabled: 'circles',
  'gen_ai.client.inference.operation.details': 'edits',
};

const METRICS: Readonly<Record<string, Place>> = {
  'gemini_cli.session.count': 'edits',
  'gemini_cli.tool.call.count': 'edits',
  'gemini_cli.tool.call.latency': 'edits',
  'gemini_cli.api.request.count': 'edits',
  'gemini_cli.api.request.latency': 'edits',
  'gemini_cli.token.usage': 'edits',
  'gemini_cli.file.operation.count': 'edits',
  'gemini_cli.lines.changed': 'edits',
  'gemini_cli.chat_compression': 'compression',
  'gemini_cli.chat.invalid_chunk.count': 'failures',
  'gemini_cli.chat.content_retry.count': 'failures',
  'gemini_cli.chat.content_retry_failure.count': 'unusable',
  'gemini_cli.model_routing.latency': 'edits',
  'gemini_cli.model_routing.failure.count': 'routingFailure',
  'gemini_cli.slash_command.model.call_count': 'terminal',
  'gemini_cli.agent.run.count': 'agents',
  'gemini_cli.agent.duration': 'agents',
  'gemini_cli.agent.turns': 'agents',
  'gemini_cli.ui.flicker.count': 'terminal',
  'gemini_cli.exit.fail.count': 'program',
  'gemini_cli.startup.duration': 'program',
  'gemini_cli.memory.usage': 'edits',
  'gemini_cli.cpu.usage': 'edits',
  'gemini_cli.hook_call.count': 'program',
  'gemini_cli.hook_call.latency': 'program',
  'gemini_cli.network_retry.count': 'failures',
  'gemini_cli.tool.execution.breakdown': 'edits',
  'gemini_cli.tool.queue.depth': 'edits',
  'gemini_cli.token.efficiency': 'edits',
  'gemini_cli.plan.execution.count': 'plan',
  'gen_ai.client.token.usage': 'edits',
  'gen_ai.client.operation.duration': 'edits',
};

const page = readFileSync(new URL('../../docs/telemetry.md', import.meta.url), 'utf8');
const toldBy = new Map<Scene, Told>();
const logNames = ({ logs }: Told) => logs.map((log) => String(log['event.name']));

beforeAll(async () => {
  for (const scene of Object.keys(SCENES) as Scene[]) toldBy.set(scene, await SCENES[scene]());
}, 120_000);

function checkPlace(name: string, place: Place, namesOf: (told: Told) => Iterable<string>): void {
  expect(page).toContain(`\`${name}\``);
  if (typeof place === 'string') {
    expect([...namesOf(toldBy.get(place)!)]).toContain(name);
    return;
  }
  expect(page).toContain(place.needs);
  for (const told of toldBy.values()) expect([...namesOf(told)]).not.toContain(name);
}

describe('the names of telemetry', () => {
  it.each(Object.entries(EVENTS))('%s is an event of %j', (name, place) => checkPlace(name, place, logNames));

  it.each(Object.entries(METRICS))('%s is a metric of %j', (name, place) =>
    checkPlace(name, place, ({ metrics }) => metrics.keys()),
  );

  it('are all listed here', () => {
    const events = [...toldBy.values()].flatMap(logNames).filter((name) => !(name in EVENTS));
    const metrics = [...toldBy.values()]
      .flatMap((told) => [...told.metrics.keys()])
      .filter((name) => !(name in METRICS));
    expect({ events, metrics }).toEqual({ events: [], metrics: [] });
  });
});
