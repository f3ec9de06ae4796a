// Copies what a field holds, for instance the new key; without scripts one selects it by hand.

async function copyField(button) {
  const field = document.getElementById(button.dataset.copyFrom)
  field.select()
  // Browsers give the clipboard only to pages that came over HTTPS or from this machine; elsewhere the old way works.
  const isWritten = navigator.clipboard?.writeText(field.value).then(
    () => true,
    () => false,
  )
  if ((await isWritten) || document.execCommand('copy')) {
    button.querySelector('[role=status]').textContent = button.dataset.done
  }
}

document.addEventListener('click', (event) => {
  const button = event.target.closest?.('[data-copy-from]')
  if (button) void copyField(button)
})
