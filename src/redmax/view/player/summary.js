// What the head of the page says: how much is shown, the spacing of the grid, and what the colours of paths mean.

function describe(scene, ground) {
  const counted = (count, one, many) => (count ? [`${count} ${count === 1 ? one : many}`] : []);
  const parts = [
    ...counted(scene.bodies.length, "body", "bodies"),
    ...counted(scene.paths.length, "path", "paths"),
    ...counted(scene.soft.length, "soft body", "soft bodies"),
    `grid ${Number(ground.spacing.toPrecision(3))} ${scene.units.length}`,
  ];
  document.getElementById("summary").textContent = parts.join(" \u00b7 ");
  tellEnding(scene);
  document.getElementById("touching").hidden = !scene.contacts;
  const ends = levelEnds(scene.paths);
  document.getElementById("levels").hidden = !ends;
  if (ends) ["lowest", "highest"].forEach((id, k) => (document.getElementById(id).textContent = ends[k]));
}

/** Of a run that broke off: when and where, that what is shown ends where it was good, and, unfolded, why and what to try. */
function tellEnding({ failure, end }) {
  document.getElementById("ending").hidden = !failure;
  if (!failure) return;
  document.getElementById("ended").textContent = `The run ${failure.said}. Shown until ${Number(end.toPrecision(4))} s, while it was good.`;
  document.getElementById("reason").textContent = failure.reason;
}

/** What to write at the ends of the scale of colours: numbers if all paths share them; nothing if no path has levels. */
function levelEnds(paths) {
  const ranges = paths.filter(({ levels }) => levels).map(({ range }) => range);
  if (!ranges.length) return null;
  const [low, high] = ranges[0];
  return ranges.every(([a, b]) => a === low && b === high) ? [`${low}`, `${high}`] : ["low", "high"];
}
