/** Other providers on the screen: the first start, /connect, /model and a key that is missing. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createWorkspace, fakeModel, fault, say, startTerminal } from '@castor/testkit';
import type { FakeModel, Terminal } from '@castor/testkit';
import { describe, expect, it } from 'vitest';

const READY = 'Type your message';
const KEY = 'test-key-0123456789';
const NO_KEYRING = { GEMINI_FORCE_FILE_STORAGE: 'true' };

const anthropic = (key: string | null = KEY) =>
  fakeModel([say('Hello from afar.')], { protocol: 'anthropic', key, models: [{ id: 'claude-x' }], repeatLast: true });
const address = ({ url }: FakeModel) => ({ ANTHROPIC_BASE_URL: url, ...NO_KEYRING });

async function ask(terminal: Terminal, words: string, expected: string): Promise<void> {
  // The placeholder is there while it works, too.
  await terminal.waitUntil((seen) => seen.title().includes('Ready'));
  terminal.type(`${words}\r`);
  await terminal.waitForText(expected);
}

describe('the first start', () => {
  it('takes the key of another provider, proves it, keeps it only with consent, and remembers the model', async () => {
    // The address is on this machine, where a key is optional: the first start is asked for by the missing Gemini key.
    await using model = await anthropic();
    await using workspace = await createWorkspace();
    {
      await using terminal = await startTerminal([], { workspace, env: address(model) });
      await terminal.waitForText('How should Castor connect to a model?');
      terminal.type('2');
      await terminal.waitForText('Your Anthropic key');
      terminal.type('wrong-key-0123456789\r');
      await terminal.waitForText('Anthropic rejects the key');
      terminal.type('2');
      await terminal.waitForText('Your Anthropic key');
      terminal.type(`${KEY}\r`);
      await terminal.waitForText('This system has no keyring.');
      terminal.type('1');
      await terminal.waitForText('Castor uses anthropic/claude-opus-5 from now on');
      await terminal.waitForText(READY);
      await ask(terminal, 'hi', 'Hello from afar.');
      expect(terminal.bytes).not.toContain(KEY);
      expect(terminal.bytes).not.toContain('wrong-key-0123456789');
    }
    const settings = await readFile(join(workspace.home, '.gemini', 'settings.json'), 'utf8');
    expect(JSON.parse(settings)).toEqual({ castor: { model: 'anthropic/claude-opus-5' } });
    await using again = await startTerminal([], { workspace, env: address(model) });
    await again.waitForText(READY);
    await ask(again, 'hi', 'Hello from afar.');
    expect(model.requests.at(-1)?.headers['x-api-key']).toBe(KEY);
  });

  it('finds a server on this machine, and says so where none answers', { tags: 'wide' }, async () => {
    await using ollama = await fakeModel([say('Hello from here.')], {
      protocol: 'ollama',
      models: [{ name: 'qwen3:8b' }],
    });
    const nowhere = 'http://127.0.0.1:9';
    const others = { LMSTUDIO_BASE_URL: nowhere, LLAMACPP_BASE_URL: nowhere, VLLM_BASE_URL: nowhere };
    {
      await using terminal = await startTerminal([], { env: { OLLAMA_HOST: nowhere, ...others } });
      await terminal.waitForText('How should Castor connect to a model?');
      terminal.type('5');
      await terminal.waitForText('No server answers on this machine');
    }
    await using terminal = await startTerminal([], { env: { OLLAMA_HOST: ollama.url, ...others } });
    await terminal.waitForText('How should Castor connect to a model?');
    terminal.type('5');
    await terminal.waitForText('❯ 1  ollama/qwen3:8b');
    terminal.type('1');
    await terminal.waitForText(READY);
    await ask(terminal, 'hi', 'Hello from here.');
  });
});

describe('a conversation', () => {
  it('asks for the missing key of the model that was named', async () => {
    await using terminal = await startTerminal(['-m', 'mistral/big'], {});
    await terminal.waitForText('MISTRAL_API_KEY is not set');
    await terminal.waitForText('How should Castor connect to a model?');
  });

  it('changes the provider with /model, and tells in a sentence why not', async () => {
    await using gemini = await fakeModel([say('I am Gemini.')]);
    await using far = await anthropic();
    await using terminal = await startTerminal(['-m', 'gemini-2.5-flash'], {
      model: gemini,
      env: { ...address(far), ANTHROPIC_API_KEY: KEY },
    });
    await terminal.waitForText(READY);
    await ask(terminal, 'hi', 'I am Gemini.');
    await ask(terminal, '/model groq/x', 'GROQ_API_KEY is not set');
    await ask(terminal, '/model gorq/x', 'Did you mean groq?');
    await ask(terminal, '/model anthropic/claude-x', 'The model is anthropic/claude-x for this session.');
    await ask(terminal, 'hi again', 'Hello from afar.');
    expect(JSON.stringify(far.requests.at(-1)?.body)).toContain('I am Gemini.');
    await terminal.waitForText(/ · anthropic\/claude-x ──$/m);
  });

  it('lists models of other providers in /model', { tags: 'wide' }, async () => {
    await using gemini = await fakeModel([]);
    await using far = await anthropic();
    const env = { ...address(far), ANTHROPIC_API_KEY: KEY };
    await using terminal = await startTerminal(['-m', 'flash'], { model: gemini, env, columns: 120 });
    await terminal.waitForText(READY);
    await ask(terminal, '/model', 'of other providers');
    await terminal.waitForText(/^ {2}pro +1M +2\.00 +12\.00 {3}thinks {2}sees$/m);
    terminal.type('other providers\r');
    await terminal.waitForText(/^❯ anthropic/m);
    terminal.type('opus-4-8');
    await terminal.waitForText('❯ anthropic/claude-opus-4-8');
    terminal.type('\r');
    await terminal.waitForText('The model is anthropic/claude-opus-4-8 for this session.');
  });

  it('connects a provider with /connect', { tags: 'wide' }, async () => {
    await using gemini = await fakeModel([]);
    await using far = await anthropic();
    await using terminal = await startTerminal(['-m', 'flash'], { model: gemini, env: address(far) });
    await terminal.waitForText(READY);
    await ask(terminal, '/connect antropic', 'Did you mean anthropic?');
    await ask(terminal, '/connect anthropic', 'Your Anthropic key');
    terminal.type(`${KEY}\r`);
    await terminal.waitForText('This system has no keyring.');
    terminal.type('2');
    await terminal.waitForText('The model is anthropic/claude-opus-5, until you exit.');
    await ask(terminal, 'hi', 'Hello from afar.');
    expect(far.requests.at(-1)?.headers['x-api-key']).toBe(KEY);
    expect(terminal.bytes).not.toContain(KEY);
  });
});

describe('a key that is entered again', () => {
  it(
    'replaces the rejected one of the environment in the same session, and says which one counts later',
    { tags: 'wide' },
    async () => {
      await using far = await anthropic();
      const env = { ...address(far), ANTHROPIC_API_KEY: 'wrong-key-0123456789' };
      await using terminal = await startTerminal(['-m', 'anthropic/claude-x'], { env, columns: 160 });
      await terminal.waitForText(READY);
      await ask(terminal, 'hi', 'The key is from ANTHROPIC_API_KEY.');
      // The provider of the rejected key is asked for, not the Gemini API.
      await terminal.waitForText('Your Anthropic key');
      terminal.type(`${KEY}\r`);
      await terminal.waitForText('This system has no keyring.');
      terminal.type('1');
      await terminal.waitForText('ANTHROPIC_API_KEY is set in your environment and precedes the stored key');
      await terminal.waitForText('The model is anthropic/claude-x for this session.');
      await ask(terminal, 'hi again', 'Hello from afar.');
      expect(far.requests.at(-1)?.headers['x-api-key']).toBe(KEY);
    },
  );

  it('works until the end for a provider without a variable', { tags: 'wide' }, async () => {
    await using far = await anthropic();
    const work = { protocol: 'anthropic', baseUrl: far.url, models: { m: { contextWindow: 100_000 } } };
    await using workspace = await createWorkspace({
      homeFiles: { '.gemini/settings.json': JSON.stringify({ providers: { work } }) },
    });
    await using terminal = await startTerminal(['-m', 'work/m'], { workspace, env: NO_KEYRING, columns: 160 });
    await terminal.waitForText(READY);
    await ask(terminal, 'hi', 'No key was sent');
    await terminal.waitForText('Your work key');
    terminal.type(`${KEY}\r`);
    await terminal.waitForText('This system has no keyring.');
    terminal.type('2');
    await terminal.waitForText('The model is work/m, until you exit.');
    await ask(terminal, 'hi again', 'Hello from afar.');
    expect(far.requests.at(-1)?.headers['x-api-key']).toBe(KEY);
  });
});

describe('the offline model', () => {
  it('gives way to a model of a provider and comes back, and the conversation goes on', { tags: 'wide' }, async () => {
    await using far = await anthropic();
    await using workspace = await createWorkspace({ homeFiles: { '.gemini/GEMINI.md': 'Mind the gap.' } });
    const env = { ...address(far), ANTHROPIC_API_KEY: KEY };
    await using terminal = await startTerminal(['-m', 'offline'], { workspace, env });
    await terminal.waitForText(READY);
    await ask(terminal, 'hi there', 'a few fixed rules');
    await ask(terminal, '/model groq/x', 'GROQ_API_KEY is not set');
    await ask(terminal, '/model pro', 'GEMINI_API_KEY is not set');
    await ask(terminal, '/model anthropic/claude-x', 'The model is anthropic/claude-x for this session.');
    await ask(terminal, 'who are you', 'Hello from afar.');
    const sent = JSON.stringify(far.requests.at(-1)?.body);
    expect(sent).toContain('hi there');
    expect(sent).toContain('Mind the gap.');
    await terminal.waitForText(/ · anthropic\/claude-x ─/);
    await ask(terminal, '/model offline', 'The model is offline for this session.');
    await terminal.waitForText(/ · offline ─/);
    const before = far.requests.length;
    terminal.type('Show README.md\r');
    await terminal.waitForText('Read README.md');
    expect(far.requests).toHaveLength(before);
  });

  it('stays where the user demands that nothing is sent', async () => {
    await using far = await anthropic();
    const env = { ...address(far), ANTHROPIC_API_KEY: KEY, CASTOR_OFFLINE: '1' };
    await using terminal = await startTerminal([], { env });
    await terminal.waitForText(READY);
    await ask(terminal, '/model anthropic/claude-x', 'model.offline');
    await ask(terminal, 'hi', 'a few fixed rules');
    expect(far.requests).toEqual([]);
  });

  it('is left by /connect', { tags: 'wide' }, async () => {
    await using far = await anthropic();
    await using terminal = await startTerminal(['-m', 'offline'], { env: address(far) });
    await terminal.waitForText(READY);
    await ask(terminal, '/connect anthropic', 'Your Anthropic key');
    terminal.type(`${KEY}\r`);
    await terminal.waitForText('This system has no keyring.');
    terminal.type('2');
    await terminal.waitForText('The model is anthropic/claude-opus-5, until you exit.');
    await ask(terminal, 'hi', 'Hello from afar.');
  });
});

describe('a model without credit', () => {
  it('asks for another model, and no other answers by itself', { tags: 'wide' }, async () => {
    await using model = await fakeModel([fault(402, { message: 'Your credit balance is too low.' })], {
      protocol: 'anthropic',
      key: KEY,
    });
    const env = { ...address(model), ANTHROPIC_API_KEY: KEY };
    await using terminal = await startTerminal(['-m', 'anthropic/claude-x'], { env });
    await terminal.waitForText(READY);
    await ask(terminal, 'hi', 'Your credit balance is too low.');
    await terminal.waitForText('of other providers …');
    expect(model.requests.filter(({ path }) => path.endsWith('/messages'))).toHaveLength(1);
  });
});
