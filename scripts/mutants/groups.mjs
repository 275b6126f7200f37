/** The parts of the source whose decisions are turned around; `least`: how many of 100 mutants have to die. */
export const groups = [
  { name: 'policy', folder: 'src/policy', least: 85 },
  { name: 'acceptances', folder: 'src/acceptances', least: 85 },
  { name: 'lock-file', folder: 'src/lock-file', least: 85 },
  { name: 'callers', folder: 'src/surfaces/gateway/callers', least: 85 },
  { name: 'audit', folder: 'src/audit' },
  { name: 'scan-engine', folder: 'src/scan/engine' },
  { name: 'agent', folder: 'src/agent' },
  { name: 'store', folder: 'src/store' },
  { name: 'tokens', folder: 'src/login/tokens' },
]

/**
 * Tests in `test/` that reach a group: those that run in the process of vitest, take a fraction of a second each, and start
 * neither the built command line nor a database server. All tests of `src/` are used.
 */
export const otherTests = {
  policy: inTest('trifecta', 'tools/arguments', 'tools/asks', 'tools/options', 'tools/settings'),
  callers: inTest(
    'gateway/caller-logins',
    'gateway/keys',
    'gateway/limits',
    'gateway/login-pages',
    'gateway/tokens',
  ),
  audit: inTest('tools/audit', 'store/audit'),
  'scan-engine': inTest('marked-results', 'held-resources', 'scanner-quality'),
  agent: inTest(
    'agent/app-calls',
    'agent/attacks',
    'agent/background-tasks',
    'agent/calls',
    'agent/defaults',
    'agent/definitions',
    'agent/interruptions',
    'agent/kept',
    'agent/limits',
    'agent/logins',
    'agent/order',
    'agent/results',
    'agent/scopes',
    'agent/server-requests',
    'agent/stops',
    'agent/window',
    'agent/wires',
  ),
  store: inTest(
    'store/own-store',
    'store/call-journal',
    'store/own-memory',
    'store/store',
    'store/audit',
    'store/team',
  ),
  tokens: inTest('gateway/tokens'),
}

function inTest(...names) {
  return names.map((name) => `test/${name}.test.ts`)
}
