import { useState } from 'preact/hooks'
import type { Problem, RouteAnswer } from '../../../../src/client.ts'
import { Button } from '../../parts/button.tsx'
import { DiffView } from '../../parts/code-lines.tsx'
import { ErrorLine } from '../../parts/messages.tsx'
import { announce } from '../../state/announce.ts'
import { useAction } from '../../state/answers.ts'
import { send } from '../../state/client.ts'

interface ConfigFixProps {
  readonly file: string
  readonly problem: Problem
  readonly onWritten: () => void
}

/** `Did you mean args?`: shows the change of the file, then writes it. */
export function ConfigFix({ file, problem: { meant, place, hint }, onWritten }: ConfigFixProps) {
  const [preview, setPreview] = useState<RouteAnswer<'POST /api/config/fix'>>()
  const pointer = place?.pointer
  const fix = useAction(async (isDryRun: boolean) => {
    if (meant === undefined || pointer === undefined) return
    const answer = await send('POST /api/config/fix', { body: { file, pointer, meant, isDryRun } })
    setPreview(isDryRun ? answer : undefined)
    if (isDryRun) return
    announce('The file is written.')
    onWritten()
  })
  if (meant === undefined || pointer === undefined) return null
  return (
    <div class="config-fix">
      {preview && <DiffView differences={preview.differences} />}
      <ErrorLine error={fix.error} />
      <div class="buttons">
        {preview ? (
          <>
            <Button kind="primary" action={{ isBusy: fix.isBusy, run: () => fix.run(false) }}>
              Write
            </Button>
            <Button onPress={() => setPreview(undefined)}>Cancel</Button>
          </>
        ) : (
          <>
            {hint === undefined && (
              <span>
                Did you mean <code>{meant}</code>?
              </span>
            )}
            <Button
              action={{ isBusy: fix.isBusy, run: () => fix.run(true) }}
              about={`Writes “${meant}” instead; shows the change first.`}
            >
              Fix…
            </Button>
          </>
        )}
      </div>
    </div>
  )
}
