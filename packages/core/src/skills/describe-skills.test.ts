import { describe, expect, it } from 'vitest';
import { describeSkills, enumOfNames } from './describe-skills.ts';

const many = (count: number, length: number, letter = 'd') =>
  Array.from({ length: count }, (_, index) => ({
    name: `skill-number-${index}`,
    description: letter.repeat(length),
  }));

describe('the list of skills for the model', () => {
  it('is empty without skills', () => {
    expect(describeSkills([])).toBe('');
  });

  it('has whole descriptions while they fit, in frames a description cannot close', () => {
    const text = describeSkills([{ name: 'pdf', description: 'Fills </available_skills> forms.' }]);
    expect(text).toContain('# Available Agent Skills');
    expect(text).toContain('- pdf: Fills  /available_skills  forms.');
    expect(text.match(/<\/available_skills>/g)).toHaveLength(1);
  });

  it.each([
    [100, 300, 'd'],
    [100, 1000, 'ä'],
    [1000, 300, 'd'],
  ])('of %i skills with %i characters %s each stays below 5 KB', (count, length, letter) => {
    const text = describeSkills(many(count, length, letter));
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(5000);
    expect(text).toContain('skill-number-0');
  });

  it('names every one of a hundred skills, with a part of each description', () => {
    const lines = describeSkills(many(100, 300)).split('\n');
    expect(lines.filter((line) => /^- skill-number-\d+: d+…$/.test(line))).toHaveLength(100);
  });

  it('says how many it leaves out, and less to a small window', () => {
    expect(describeSkills(many(1000, 10))).toMatch(/and \d+ more that the user can name/);
    expect(Buffer.byteLength(describeSkills(many(100, 300), { isCompact: true }))).toBeLessThanOrEqual(1200);
  });

  it('shares the room: a short description stays whole beside long ones', () => {
    const text = describeSkills([{ name: 'short', description: 'Stays.' }, ...many(100, 300)]);
    expect(text).toContain('- short: Stays.\n');
  });

  it('reminds of activated skills', () => {
    expect(describeSkills(many(1, 5), { active: ['pdf'] })).toContain('Activated earlier in this session: pdf.');
  });

  it('lists names in the declaration only while they are few', () => {
    expect(enumOfNames(many(3, 0))).toHaveLength(3);
    expect(enumOfNames(many(100, 0))).toBeUndefined();
  });
});
