import { appendFileSync, statSync } from 'node:fs'
import { actions } from './actions.mjs'

const scriptKeys = new Set(
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

/** Parses and checks the script: an unknown action would look like a server that hangs. */
export function readScript(text) {
  const script = JSON.parse(text)
  for (const key of Object.keys(script)) if (!scriptKeys.has(key)) refuse(`unknown key "${key}"`)
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

/** The number of earlier starts of this script, stored as the length of a file. */
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

/**
 * Picks from `{ each: [...] }` by how often the step was due, from `{ eachStart: [...] }` by how often the server was
 * started.
 */
export function createPicker(start) {
  const timesDue = new Map()
  return function pick(step) {
    const choices = step?.each ?? step?.eachStart
    if (!choices) return step
    const count = step.each ? (timesDue.get(step) ?? 0) : start
    if (step.each) timesDue.set(step, count + 1)
    return pick(choices[Math.min(count, choices.length - 1)] ?? [])
  }
}
