/* Checks the folder of a skill and names every problem. Usage: node validate_skill.cjs <folder> */
'use strict';

const fs = require('fs');
const path = require('path');

const LONGEST_DESCRIPTION = 1024;

function validate(folder) {
  const file = path.join(folder, 'SKILL.md');
  if (!fs.existsSync(file)) return [`${file} is missing.`];
  const text = fs.readFileSync(file, 'utf8').replace(/^\uFEFF/, '');
  const block = /^---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(\r?\n|$)/.exec(text);
  if (!block) return [`${file}:1: the file must start with front matter between two lines "---".`];
  const problems = [];
  const fields = readFields(block[1]);
  const name = fields.name || '';
  if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name)) {
    problems.push(`${file}: name must have lower-case letters, digits and hyphens only, not ${JSON.stringify(name)}.`);
  } else if (name !== path.basename(path.resolve(folder))) problems.push(`${file}: the folder must be called ${name}.`);
  const description = fields.description || '';
  if (description === '') problems.push(`${file}: description is missing.`);
  if (description.length > LONGEST_DESCRIPTION) {
    problems.push(`${file}: description is longer than ${LONGEST_DESCRIPTION} characters.`);
  }
  if (/\bTODO\b/.test(text)) problems.push(`${file}: a TODO is left.`);
  if (text.slice(block[0].length).trim() === '') problems.push(`${file}: the instructions are missing.`);
  return problems;
}

function readFields(block) {
  const fields = {};
  let current;
  for (const line of block.split(/\r?\n/)) {
    const found = /^([\w-]+):\s*(.*)$/.exec(line);
    if (found) {
      current = found[1];
      fields[current] = found[2].replace(/^(["'])(.*)\1$/, '$2').replace(/^[>|][+-]?$/, '');
    } else if (current && /^\s+\S/.test(line)) fields[current] = `${fields[current]} ${line.trim()}`.trim();
  }
  return fields;
}

module.exports = { validate };

if (require.main === module) {
  const [folder] = process.argv.slice(2);
  const problems = folder ? validate(folder) : ['Usage: node validate_skill.cjs <folder>'];
  if (problems.length === 0) process.stdout.write(`${folder} is a valid skill.\n`);
  else {
    process.stderr.write(`${problems.join('\n')}\n`);
    process.exit(1);
  }
}
