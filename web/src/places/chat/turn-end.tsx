import { Button } from '../../parts/button.tsx'
import { ShapeMark } from '../../parts/state-mark.tsx'
import type { Turn } from './turn.ts'

type End = NonNullable<Turn['end']>

interface TurnEndProps {
  readonly end: End
  readonly onTryAgain?: (() => void) | undefined
  readonly onGoOn?: (() => void) | undefined
  readonly onOtherModel?: (() => void) | undefined
}

/** How a turn ended, if not with an answer: the cause, and what to do. */
export function TurnEnd({ end, onTryAgain, onGoOn, onOtherModel }: TurnEndProps) {
  const { outcome, reason, hint, limit } = end
  if (outcome === 'done') return null
  if (outcome === 'cancelled')
    return (
      <div class="chat-turn-end">
        <p class="tone-dim">Stopped. What is there is kept.</p>
        {onTryAgain && <Again onClick={onTryAgain} />}
      </div>
    )
  const isFailed = outcome === 'failed'
  return (
    <div class={`chat-turn-end ${isFailed ? 'is-bad' : 'is-warn'}`} role={onTryAgain ? 'alert' : undefined}>
      <p>
        <span class={`state ${isFailed ? 'tone-bad' : 'tone-warn'}`}>
          <ShapeMark shape="triangle" />
          {reason ?? `The turn ended: ${outcome}.`}
        </span>
      </p>
      {hint !== undefined && limit === undefined && <p class="small dim">{hint}</p>}
      {(onTryAgain || onGoOn) && (
        <div class="buttons">
          {limit !== undefined && onGoOn && (
            <Button kind="primary" onPress={onGoOn} about="Sends “Go on.”">
              Go on
            </Button>
          )}
          {onTryAgain && <Again onClick={onTryAgain} isPrimary={limit === undefined} />}
          {isFailed && onOtherModel && (
            <Button onPress={onOtherModel} about="Opens the list of models.">
              Other model
            </Button>
          )}
        </div>
      )}
    </div>
  )
}

function Again({
  onClick,
  isPrimary = false,
}: {
  readonly onClick: () => void
  readonly isPrimary?: boolean
}) {
  return (
    <Button
      {...(isPrimary && { kind: 'primary' })}
      onPress={onClick}
      about="Removes this turn, and sends its message again."
    >
      Try again
    </Button>
  )
}
