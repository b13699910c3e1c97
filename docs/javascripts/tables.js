// The theme puts each wide Markdown table into a box that scrolls; let a keyboard reach it too.
window.addEventListener("load", function () {
  "use strict";
  document.querySelectorAll(".md-typeset__scrollwrap").forEach(function (box) {
    if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
  });
});
