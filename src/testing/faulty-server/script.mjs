import { appendFileSync, statSync } from 'node:fs'
import { actions } from './actions.mjs'

const known = new Set(
  [
    'era',
    'versions',
    'info',
    'instructions',
    'capabilities',
    'tools',
    'pages',
    'prompts',
    'resources',
  ].concat(
    [
      'templates',
      'results',
      'ttlMs',
      'cacheScope',
      'framing',
      'before',
      'on',
      'journal',
      'starts',
      'respond',
    ],
    ['sessions', 'sessionLostAfter', 'eventIds', 'get', 'path', 'endpoint', 'port', 'tls', 'checkHeaders'],
  ),
)

/** The script as data, checked: a misspelt action would look like a server that hangs. */
export function readScript(text) {
  const script = JSON.parse(text)
  for (const key of Object.keys(script)) if (!known.has(key)) refuse(`unknown key "${key}"`)
  const steps = [script.before ?? [], ...Object.values(script.on ?? {})]
  for (const step of steps) checkStep(step)
  return { era: 'legacy', on: {}, ...script, start: countStart(script.starts) }
}

function checkStep(step) {
  const choices = step?.each ?? step?.eachStart
  for (const choice of choices ?? []) checkStep(choice)
  if (choices) return
  for (const action of toActions(step)) if (!actions[action[0]]) refuse(`unknown action "${action[0]}"`)
}

/** How often this script was started before, counted by the length of a file. */
function countStart(file) {
  if (!file) return 0
  const before = statSync(file, { throwIfNoEntry: false })?.size ?? 0
  appendFileSync(file, '.')
  return before
}

function refuse(message) {
  process.stderr.write(`faulty-server: ${message}\n`)
  process.exit(64)
}

/** `"answer"`, `{ "exit": 1 }` or a list of them → pairs of name and argument. */
export function toActions(step) {
  const list = Array.isArray(step) ? step : [step]
  return list.flatMap((action) =>
    typeof action === 'string' ? [[action, undefined]] : Object.entries(action),
  )
}

/** Picks among `{ each: [...] }` by how often the step was due, among `{ eachStart: [...] }` by how often we started. */
export function createPicker(start) {
  const due = new Map()
  return function pick(step) {
    const choices = step?.each ?? step?.eachStart
    if (!choices) return step
    const count = step.each ? (due.get(step) ?? 0) : start
    if (step.each) due.set(step, count + 1)
    return pick(choices[Math.min(count, choices.length - 1)] ?? [])
  }
}
