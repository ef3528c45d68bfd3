import { describe, expect, it } from 'vitest';
import { createGeminiEndpoint, methodPath, parseCustomHeaders } from './endpoint.ts';

describe('createGeminiEndpoint', () => {
  it('addresses the public service by default', () => {
    const endpoint = createGeminiEndpoint({});
    expect(endpoint.url(methodPath('gemini-2.5-pro', 'stream')).href).toBe(
      'https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse',
    );
    expect(endpoint.url(methodPath('gemini-2.5-pro', 'count')).href).toBe(
      'https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-pro:countTokens',
    );
    expect(endpoint.headers('gemini-2.5-pro')).toEqual({});
  });

  it.each([
    ['http://127.0.0.1:80', 'm', 'http://127.0.0.1/v1/models/m:generateContent'],
    ['https://gateway.test/gemini/', 'm', 'https://gateway.test/gemini/v1/models/m:generateContent'],
    ['https://gateway.test/?x=1#y', 'm', 'https://gateway.test/v1/models/m:generateContent'],
    ['https://gateway.test', 'tunedModels/mine', 'https://gateway.test/v1/tunedModels/mine:generateContent'],
    ['https://gateway.test', 'models/m', 'https://gateway.test/v1/models/m:generateContent'],
    ['https://gateway.test', 'a b?c#d:e', 'https://gateway.test/v1/models/a%20b%3Fc%23d%3Ae:generateContent'],
    ['https://gateway.test/base', '../../x', 'https://gateway.test/base/v1/%252e%252e/%252e%252e/x:generateContent'],
  ])('joins %s and the model %s', (baseUrl, model, expected) => {
    expect(createGeminiEndpoint({ baseUrl, apiVersion: 'v1' }).url(methodPath(model, 'generate')).href).toBe(expected);
  });

  it.each([
    ['key', { apiKey: 'k' }, { 'x-goog-api-key': 'k' }],
    ['key with a line end from a file', { apiKey: ' k\n' }, { 'x-goog-api-key': 'k' }],
    ['bearer', { apiKey: 'k', authMechanism: 'bearer' as const }, { authorization: 'Bearer k' }],
    ['no key', { apiKey: '' }, {}],
    [
      'headers of the user, which win',
      { apiKey: 'k', headers: { 'X-Goog-Api-Key': 'mine', 'X-Team': 'a' } },
      { 'x-goog-api-key': 'mine', 'x-team': 'a' },
    ],
    ['a user agent', { userAgent: 'Castor/1' }, { 'user-agent': 'Castor/1' }],
    ['a user agent by model', { userAgent: (model: string) => `Castor/${model}é` }, { 'user-agent': 'Castor/m?' }],
  ])('sends %s', (_name, options, expected) => {
    expect(createGeminiEndpoint(options).headers('m')).toEqual(expected);
  });

  it.each([
    ['gateway.test', 'Invalid base URL: "gateway.test"'],
    ['', 'Invalid base URL: ""'],
    ['ftp://x.test', 'The base URL must begin with https:// or http://, not "ftp:"'],
    ['localhost:8080', 'The base URL must begin with https:// or http://, not "localhost:"'],
    ['https://user:secret@x.test', 'The base URL must not contain a user name or a password.'],
  ])('refuses the base URL %s', (baseUrl, message) => {
    expect(() => createGeminiEndpoint({ baseUrl })).toThrow(new TypeError(message));
  });

  it('refuses a header that cannot be sent without repeating its value', () => {
    expect(() => createGeminiEndpoint({ apiKey: 'sec\nret' })).toThrow(
      new TypeError('The value for the header x-goog-api-key contains invalid characters.'),
    );
    expect(() => createGeminiEndpoint({ headers: { 'no good': 'x' } })).toThrow(
      new TypeError('Invalid header name: "no good"'),
    );
  });
});

describe('parseCustomHeaders', () => {
  it.each<[string | undefined, Record<string, string>]>([
    [undefined, {}],
    ['', {}],
    ['A: 1', { A: '1' }],
    ['A: 1, B:2 ,C : 3', { A: '1', B: '2', C: '3' }],
    ['Accept: a, b, c, B: 2', { Accept: 'a, b, c', B: '2' }],
    ['Url: https://x.test/a,b', { Url: 'https://x.test/a,b' }],
    ['A: 1,,B: 2', { A: '1,', B: '2' }],
    ['nonsense, A: 1, : no name', { A: '1, : no name' }],
    ['Empty:, A: 1', { Empty: '', A: '1' }],
  ])('reads %j', (text, expected) => {
    expect(parseCustomHeaders(text)).toEqual(expected);
  });
});
