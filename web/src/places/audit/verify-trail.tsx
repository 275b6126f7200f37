import { useState } from 'preact/hooks'
import type { AuditCheck } from '../../../../src/client.ts'
import { Button } from '../../parts/button.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { ErrorLine } from '../../parts/messages.tsx'
import { StateMark } from '../../parts/state-mark.tsx'
import { useAction } from '../../state/answers.ts'
import { send } from '../../state/client.ts'
import { useKeys } from '../../state/keys.ts'

/** A check of the whole trail, and that a hash which was kept elsewhere is still in it. */
export function useVerify() {
  const [head, setHead] = useState('')
  const [found, setFound] = useState<AuditCheck>()
  const verify = useAction(async () => {
    const kept = head.trim()
    setFound(await send('GET /api/audit/verify', { query: kept === '' ? {} : { head: kept } }))
  })
  useKeys({ v: { does: 'Verify the trail', run: () => void verify.run() } })
  return { head, setHead, found, verify }
}

type Verify = ReturnType<typeof useVerify>

export function VerifyForm({ check: { head, setHead, verify } }: { readonly check: Verify }) {
  return (
    <form
      class="audit-verify"
      onSubmit={(event) => {
        event.preventDefault()
        void verify.run()
      }}
    >
      <input
        aria-label="A hash that you kept"
        placeholder="hash that you kept"
        value={head}
        autoComplete="off"
        spellcheck={false}
        onInput={(event) => setHead(event.currentTarget.value)}
      />
      <Button type="submit" keyName="V" command="plugboard audit --verify">
        Verify
      </Button>
    </form>
  )
}

const maxShown = 20

export function VerifyResult({ check: { found, verify } }: { readonly check: Verify }) {
  return (
    <div role="status">
      <ErrorLine error={verify.error} />
      {found && !verify.error && (
        <div class="audit-check">
          <p>
            <StateMark
              state={{ tone: found.isWhole ? 'ok' : 'bad', word: found.isWhole ? 'whole' : 'not whole' }}
            />{' '}
            {found.verdict}
          </p>
          {found.problems.length > 0 && (
            <ul>
              {found.problems.slice(0, maxShown).map(({ kind, message, writer }, index) => (
                <li key={index}>
                  <b>{kind}</b> {message} {writer && <span class="dim">writer {writer}</span>}
                </li>
              ))}
              {found.problems.length > maxShown && (
                <li class="dim">and {found.problems.length - maxShown} more</li>
              )}
            </ul>
          )}
          {found.head && (
            <p>
              <span class="dim">Newest row, to keep elsewhere:</span>{' '}
              <span class="mono">{found.head.hash}</span>
              <CopyButton text={found.head.hash} label="Copy the hash" />
            </p>
          )}
        </div>
      )}
    </div>
  )
}
