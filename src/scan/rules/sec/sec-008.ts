import { isToken } from '../../../model/secrets/token-forms.ts'
import type { RawText } from '../../engine/raw-text.ts'
import type { Match, RawRule } from '../rule.ts'

const fake =
  /example|sample|dummy|placeholder|your|test|fake|redacted|x{4,}|\*{3,}|\.{3,}|1234567|abcdef(?!\d)|0{6,}|<|>/i
const key = '-----BEGIN (?:[A-Z]{2,10} ){0,2}PRIVATE KEY-----'

/** Whether a text holds what looks like a living key: of a known form, and not a documented example. */
export function findSecretsIn(text: string): readonly string[] {
  const words = text.match(/[A-Za-z0-9_.-]{16,400}/g) ?? []
  const tokens = words
    .map((word) => word.replace(/[.-]+$/, ''))
    .filter((word) => isToken(word) && !fake.test(word) && new Set(word).size >= 10)
  const pem = new RegExp(`${key}[\\s\\\\nr]{0,8}[A-Za-z0-9+/=\\s\\\\]{64}`).exec(text)?.[0]
  return [...tokens, ...(pem === undefined ? [] : [pem.slice(0, 31)])]
}

/** Keys are shown by their first characters only: a finding must not spread them. */
function toMatch(secret: string, message: string): Match {
  return { score: 0.8, message, evidence: secret.startsWith('-----') ? secret : `${secret.slice(0, 6)}…` }
}

const isData = ({ surface }: RawText) => surface.place === 'data'

export const embeddedSecretRule: RawRule = {
  id: 'SEC-008',
  severity: 'high',
  over: 'raw',
  title: 'Key in a definition',
  reason: 'A definition with a living key gives it to everyone who connects, models included.',
  remedy: 'Tell its author to renew the key, and do not use it.',
  hits: [`Use the key ${['ghp', 'Zk3Lm9Qw2Rt7Yb5Nc8Vd'].join('_')} for tests.`],
  misses: [
    'Token such as ghp_xxxxxxxxxxxxxxxxxxxx.',
    'Key id AKIAIOSFODNN7EXAMPLE.',
    'Starts with sk_live_ or sk_test_.',
  ],
  find: (raw) =>
    isData(raw) ? [] : findSecretsIn(raw.visible).map((secret) => toMatch(secret, 'It contains a key.')),
}

export const secretInResultRule: RawRule = {
  id: 'SEC-010',
  severity: 'high',
  over: 'raw',
  title: 'Key in a result',
  reason: 'A key in a result is in the hands of a model, which may pass it on.',
  remedy: 'Renew the key if the model or a later call may have passed it on.',
  hits: [{ kind: 'result', text: `token: ${['ghp', 'Zk3Lm9Qw2Rt7Yb5Nc8Vd'].join('_')}` }],
  misses: [{ kind: 'result', text: 'token: ghp_xxxxxxxxxxxxxxxxxxxx' }],
  find: (raw) =>
    isData(raw) ? findSecretsIn(raw.visible).map((secret) => toMatch(secret, 'It contains a key.')) : [],
}
