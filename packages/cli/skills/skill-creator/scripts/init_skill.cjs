/* Creates the folder of a new skill with a SKILL.md to fill in. Usage: node init_skill.cjs <name> --path <folder> */
'use strict';

const fs = require('fs');
const path = require('path');

const [name, option, folder] = process.argv.slice(2);
if (!name || option !== '--path' || !folder) fail('Usage: node init_skill.cjs <name> --path <folder>');
if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name)) fail(`"${name}" must have lower-case letters, digits and hyphens only.`);
const target = path.resolve(folder, name);
if (fs.existsSync(target)) fail(`${target} already exists.`);
fs.mkdirSync(target, { recursive: true });
fs.writeFileSync(
  path.join(target, 'SKILL.md'),
  `---
name: ${name}
description: "TODO: what it does, and when to use it."
---

# ${name}

TODO: the goal, the steps, the mistakes to avoid.
`,
);
process.stdout.write(`Created ${path.join(target, 'SKILL.md')}\n`);

function fail(sentence) {
  process.stderr.write(`${sentence}\n`);
  process.exit(1);
}
