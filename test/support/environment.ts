/**
 * Loaded before each test file. Node reads these variables of its own process, whatever a test passes on: `readline` edits no
 * line in a terminal that is "dumb", and styled texts have no colors with NO_COLOR. Tests of other terminals set them.
 */
process.env['TERM'] = 'xterm-256color'
for (const name of [
  'NO_COLOR',
  'FORCE_COLOR',
  'NODE_DISABLE_COLORS',
  'COLORTERM',
  'CLICOLOR',
  'CLICOLOR_FORCE',
])
  delete process.env[name]
