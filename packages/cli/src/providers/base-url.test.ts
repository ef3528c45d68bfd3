import { describe, expect, it } from 'vitest';
import { isLoopback, normaliseBaseUrl, readAzureAddress, readOllamaHost } from './base-url.ts';

describe('normaliseBaseUrl', () => {
  it.each([
    ['http://127.0.0.1:8080', 'chat', 'http://127.0.0.1:8080/v1'],
    ['http://127.0.0.1:8080/', 'chat', 'http://127.0.0.1:8080/v1'],
    ['http://127.0.0.1:8080/v1', 'chat', 'http://127.0.0.1:8080/v1'],
    ['http://127.0.0.1:8080/v1//', 'chat', 'http://127.0.0.1:8080/v1'],
    ['http://127.0.0.1:8080/v1/chat/completions', 'chat', 'http://127.0.0.1:8080/v1'],
    ['https://llm.test/openai', 'chat', 'https://llm.test/openai'],
    ['https://llm.test/api', 'chat', 'https://llm.test/api'],
    ['https://api.openai.test/v1/responses', 'responses', 'https://api.openai.test/v1'],
    ['https://api.openai.test', 'responses', 'https://api.openai.test/v1'],
    ['https://api.anthropic.test', 'anthropic', 'https://api.anthropic.test'],
    ['https://api.anthropic.test/v1', 'anthropic', 'https://api.anthropic.test'],
    ['https://gateway.test/claude/v1/messages/', 'anthropic', 'https://gateway.test/claude'],
    ['http://127.0.0.1:11434/v1', 'ollama', 'http://127.0.0.1:11434'],
    ['http://127.0.0.1:11434/api/chat', 'ollama', 'http://127.0.0.1:11434'],
    ['http://127.0.0.1:11434/api', 'ollama', 'http://127.0.0.1:11434'],
    ['nonsense', 'chat', 'nonsense'],
  ] as const)('reads %s as %s', (text, protocol, expected) => expect(normaliseBaseUrl(text, protocol)).toBe(expected));
});

describe('readOllamaHost', () => {
  it.each([
    ['127.0.0.1', 'http://127.0.0.1:11434/'],
    ['box', 'http://box:11434/'],
    ['box:8000', 'http://box:8000/'],
    ['box:80', 'http://box/'],
    [':8000', 'http://127.0.0.1:8000/'],
    ['0.0.0.0', 'http://127.0.0.1:11434/'],
    ['0.0.0.0:8000', 'http://127.0.0.1:8000/'],
    ['[::]:8000', 'http://[::1]:8000/'],
    ['http://box', 'http://box/'],
    ['https://box/ollama', 'https://box/ollama'],
    ['http://0.0.0.0:11434', 'http://127.0.0.1:11434/'],
  ])('reads %s as %s', (text, expected) => expect(readOllamaHost(text)).toBe(expected));
});

describe('readAzureAddress', () => {
  const host = 'https://r.openai.azure.com';
  const older = `${host}/openai/deployments/my-gpt/chat/completions?api-version=2024-10-21`;
  const newer = { url: `${host}/openai/v1` };
  const dated = { url: `${host}/openai`, version: '2024-10-21' };
  it.each([
    [host, undefined, newer],
    [`${host}/`, 'preview', newer],
    [`${host}/openai/`, undefined, newer],
    [`${host}/openai/v1/`, undefined, newer],
    [`${host}/openai/v1`, '2024-10-21', newer],
    [`${host}/openai/v1/responses?api-version=preview`, undefined, newer],
    [`${host}/openai/v1/chat/completions`, undefined, newer],
    [`${host}/openai/responses?api-version=2025-04-01-preview`, undefined, newer],
    [host, '2024-10-21', dated],
    [older, undefined, { ...dated, deployment: 'my-gpt' }],
    [older, '2023-05-15', { ...dated, deployment: 'my-gpt' }],
    [`${host}/openai/deployments/d`, '2024-10-21', { ...dated, deployment: 'd' }],
    [`${host}/openai/deployments/d/`, undefined, { ...newer, deployment: 'd' }],
    ['https://gateway.test/azure/openai/v1', undefined, { url: 'https://gateway.test/azure/openai/v1' }],
    ['nonsense', undefined, { url: 'nonsense' }],
  ])('reads %s with the version %s', (text, version, expected) =>
    expect(readAzureAddress(text, version)).toEqual(expected),
  );
});

describe('isLoopback', () => {
  it.each([
    ['http://localhost:1', true],
    ['http://127.9.9.9', true],
    ['http://[::1]:1', true],
    ['http://127.evil.test', false],
    ['https://localhost.evil.test', false],
  ])('of %s is %s', (url, expected) => expect(isLoopback(new URL(url))).toBe(expected));
});
