import { describe, expect, it } from 'vitest';
import { openPromptFixture } from '../surface/prompt.fixture.ts';
import { readPrompt } from '../surface/read-prompt.ts';
import { openCommands } from './index.ts';

async function open(services: object = {}) {
  const fixture = await openPromptFixture({});
  const commands = await openCommands(fixture.agent.sources);
  return Object.assign(fixture, {
    type: (text: string) => readPrompt(text, { ...fixture.context, commands, services, isAttended: true }),
  });
}

const WRONG: readonly [string, string][] = [
  ['/agents config', 'Usage: /agents config <agent-name> [field value]'],
  ['/agents config none', "Agent 'none' not found."],
  ['/agents config generalist maxTurn 7', 'Unknown field "maxTurn". Known: enabled, model, temperature, '],
  ['/agents config generalist maxTurns 0.5', 'maxTurns: expected a whole number above 0, or "default".'],
  ['/agents config generalist topK', 'topK: expected a whole number above 0, or "default".'],
  ['/agents config generalist temperature 3', 'temperature: expected a number from 0 to 2, or "default".'],
  ['/agents config generalist enabled yes', 'enabled: expected true or false, or "default".'],
];

describe('/agents config', () => {
  it('changes a field in words, in the session and in the settings', async () => {
    const saved: [string, unknown][] = [];
    await using session = await open({
      saveSetting: async (key: string, value: unknown) => void saved.push([key, value]),
    });
    expect(await session.type('/agents config generalist maxTurns 7')).toMatchObject({
      text: 'generalist: maxTurns is 7.',
    });
    expect(await session.type('/agents config generalist topP 0.5')).toMatchObject({
      text: 'generalist: topP is 0.5.',
    });
    expect(await session.type('/agents config generalist')).toMatchObject({
      text: expect.stringMatching(/limits: 7 turns.*generation: \{.*"topP":0\.5.*To change it: /s),
    });
    expect(await session.type('/agents config generalist topP default')).toMatchObject({
      text: expect.stringMatching(/^generalist: topP is (?!0\.5)/),
    });
    expect(saved).toEqual([
      ['agents.overrides.generalist.runConfig.maxTurns', 7],
      ['agents.overrides.generalist.modelConfig.generateContentConfig.topP', 0.5],
      ['agents.overrides.generalist.modelConfig.generateContentConfig.topP', undefined],
    ]);
  });

  it('says what is wrong', async () => {
    await using session = await open();
    for (const [text, sentence] of WRONG)
      expect(JSON.stringify(await session.type(text))).toContain(JSON.stringify(sentence).slice(1, -1));
  });

  it('says where a change holds when settings cannot be saved', async () => {
    await using session = await open();
    expect(await session.type('/agents config generalist enabled false')).toMatchObject({
      text: 'generalist: enabled is false. It holds in this session only: settings cannot be saved here.',
    });
    expect(await session.type('/agents')).toMatchObject({ text: expect.stringContaining('(disabled)') });
  });
});

describe('/agents acknowledge', () => {
  it('enables nothing where the user cannot be asked, and reload names what is new', async () => {
    await using session = await open();
    const file = '---\nname: late\ndescription: x\nmcp_servers: { z: { command: curl, args: [host] } }\n---\nYou.';
    await session.write('.gemini/agents/late.md', file);
    expect(await session.type('/agents reload')).toMatchObject({
      text: expect.stringMatching(
        /not enabled\. To enable them: \/agents acknowledge\n {2}late \(MCP server z.*curl host/,
      ),
    });
    expect(JSON.stringify(await session.type('/agents acknowledge'))).toContain('--acknowledge-agents');
    expect(await session.type('/agents')).toMatchObject({ text: expect.not.stringContaining('late [project]') });
  });
});
