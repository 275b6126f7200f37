import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { keyLayers } from '../state/keys.ts'
import { overlay } from '../state/overlay.ts'
import { singleKeys } from '../state/settings.ts'
import '../style/palette.css'

/** Every key that works on this view. */
export function KeysHelp() {
  const close = (): void => void (overlay.value = undefined)
  const bindings = new Map([
    ...keyLayers.value.flatMap((layer) =>
      Object.entries(layer.bindings).flatMap(([key, { does, isOff }]) =>
        isOff ? [] : [[key, does] as const],
      ),
    ),
    ['↑ ↓', 'Move in a list'] as const,
    ['Enter', 'Open'] as const,
  ])
  const keysOf = new Map<string, readonly string[]>()
  for (const [key, does] of bindings) keysOf.set(does, [...(keysOf.get(does) ?? []), keyText(key)])
  return (
    <Dialog label="Keys" onClose={close}>
      <div class="keys-head">
        <h2>Keys</h2>
        <Button onPress={close} keyName="Esc">
          Close
        </Button>
      </div>
      {singleKeys.value === 'off' && (
        <p class="dialog-body dim">Keys without Ctrl are switched off in Config.</p>
      )}
      <ul class="keys">
        {[...keysOf].map(([does, keys]) => (
          <li key={does} class="keys-row">
            {does} <kbd>{keys.join(' ')}</kbd>
          </li>
        ))}
      </ul>
    </Dialog>
  )
}

function keyText(key: string): string {
  return key.replace('+', ' ').replace(/^Ctrl k$/, 'Ctrl K')
}
