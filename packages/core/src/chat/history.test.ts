import { describe, expect, it } from 'vitest';
import type { Content } from '../protocol/content.ts';
import { findIndexAfterFraction } from './history-places.ts';
import { History } from './history.ts';

const user = (text: string): Content => ({ role: 'user', parts: [{ text }] });
const model = (text: string): Content => ({ role: 'model', parts: [{ text }] });
const broken: Content = { role: 'model', parts: [{ text: 'x' }, {}] };

describe('History', () => {
  it('leaves out of the curated view a whole run of model turns of which one is broken', () => {
    const turns = [user('a'), model('b'), broken, model('c'), user('d'), model('e')];
    const history = new History(turns);
    expect([history.comprehensive, history.curated]).toEqual([turns, [user('a'), user('d'), model('e')]]);
  });

  it('sends what the curated view holds', () => {
    const history = new History([user('a'), model('b'), broken, user('d')]);
    expect(history.contents).toEqual([{ role: 'user', parts: [{ text: 'a' }, { text: 'd' }] }]);
  });

  it('rolls back to a mark as if nothing had been said since', () => {
    const history = new History([user('a'), model('b')]);
    const mark = history.mark();
    history.append(user('c'));
    history.append(broken);
    history.rollback(mark);
    const fresh = new History([user('a'), model('b')]);
    expect([history.comprehensive, history.curated, history.contents]).toEqual([
      fresh.comprehensive,
      fresh.curated,
      fresh.contents,
    ]);
  });

  it('refuses a role the service does not know', () => {
    expect(() => new History([{ role: 'system', parts: [] }])).toThrow('Role must be user or model, but got system.');
  });

  it('extends its views without touching what is already there', () => {
    const history = new History();
    for (let index = 0; index < 2000; index++) history.append(index % 2 ? model(`m${index}`) : user(`u${index}`));
    const before = history.contents.slice(0, 1999);
    history.append(user('more'));
    expect(before.every((content, index) => content === history.contents[index])).toBe(true);
  });
});

describe('findIndexAfterFraction', () => {
  const response: Content = { role: 'user', parts: [{ functionResponse: { id: '1', name: 't', response: {} } }] };
  const call: Content = { role: 'model', parts: [{ functionCall: { id: '1', name: 't', args: {} } }] };

  it('finds the first words of the user at or past the fraction', () => {
    const history = [user('a'), model('b'), user('c'), model('d'), user('e'), model('f')];
    expect(findIndexAfterFraction(history, 0.5)).toBe(4);
  });

  it('does not cut between a call and its response', () => {
    expect(findIndexAfterFraction([user('a'), call, response, model('b'), user('c'), model('d')], 0.3)).toBe(4);
  });

  it('takes everything when nothing of the user follows and the model has answered', () => {
    expect(findIndexAfterFraction([user('a'), model('b'.repeat(500))], 0.7)).toBe(2);
  });

  it('keeps from the last words of the user when a call is still open', () => {
    expect(findIndexAfterFraction([user('a'), model('b'.repeat(500)), user('c'), call], 0.99)).toBe(2);
  });
});
