import { describe, expect, it } from 'vitest';
import { azureBaseUrl, isLoopback, normaliseBaseUrl, readOllamaHost } from './base-url.ts';

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

describe('azureBaseUrl', () => {
  it.each([
    ['https://r.openai.azure.com/', undefined, 'https://r.openai.azure.com/openai/v1'],
    ['https://r.openai.azure.com/openai/v1', undefined, 'https://r.openai.azure.com/openai/v1'],
    [
      'https://r.openai.azure.com/openai/deployments/d/chat/completions',
      undefined,
      'https://r.openai.azure.com/openai/v1',
    ],
    [undefined, 'r', 'https://r.openai.azure.com/openai/v1'],
    [' ', ' ', undefined],
  ])('reads %s and %s as %s', (endpoint, resource, expected) =>
    expect(azureBaseUrl(endpoint, resource)).toBe(expected),
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
