// Rights follow the role to what is usual for it. Without scripts a hint says what is usual.

document.addEventListener('change', ({ target }) => {
  if (target.name !== 'role' || target.dataset.rights === undefined) return
  const defaults = target.dataset.rights.split(' ')
  for (const box of target.form.querySelectorAll('input[name=rights]:enabled'))
    box.checked = defaults.includes(box.value)
})
