function xt(t){let e=+this._x.call(null,t),n=+this._y.call(null,t);return rt(this.cover(e,n),e,n,t)}function rt(t,e,n,r){if(isNaN(e)||isNaN(n))return t;var i,o=t._root,s={data:r},a=t._x0,c=t._y0,l=t._x1,p=t._y1,y,m,h,x,u,f,g,d;if(!o)return t._root=s,t;for(;o.length;)if((u=e>=(y=(a+l)/2))?a=y:l=y,(f=n>=(m=(c+p)/2))?c=m:p=m,i=o,!(o=o[g=f<<1|u]))return i[g]=s,t;if(h=+t._x.call(null,o.data),x=+t._y.call(null,o.data),e===h&&n===x)return s.next=o,i?i[g]=s:t._root=s,t;do i=i?i[g]=new Array(4):t._root=new Array(4),(u=e>=(y=(a+l)/2))?a=y:l=y,(f=n>=(m=(c+p)/2))?c=m:p=m;while((g=f<<1|u)===(d=(x>=m)<<1|h>=y));return i[d]=o,i[g]=s,t}function wt(t){Array.isArray(t)||(t=Array.from(t));let e=t.length,n=new Float64Array(e),r=new Float64Array(e),i=1/0,o=i,s=-i,a=s;for(let c=0,l,p,y;c<e;++c){if(isNaN(p=+this._x.call(null,l=t[c]))||isNaN(y=+this._y.call(null,l))){n[c]=NaN;continue}n[c]=p,r[c]=y,p<i&&(i=p),p>s&&(s=p),y<o&&(o=y),y>a&&(a=y)}if(i>s||o>a)return this;this.cover(i,o).cover(s,a);for(let c=0;c<e;++c)rt(this,n[c],r[c],t[c]);return this}function bt(t,e){if(isNaN(t=+t)||isNaN(e=+e))return this;var n=this._x0,r=this._y0,i=this._x1,o=this._y1;if(isNaN(n))i=(n=Math.floor(t))+1,o=(r=Math.floor(e))+1;else{for(var s=i-n||1,a=this._root,c,l;n>t||t>=i||r>e||e>=o;)switch(l=(e<r)<<1|t<n,c=new Array(4),c[l]=a,a=c,s*=2,l){case 0:i=n+s,o=r+s;break;case 1:n=i-s,o=r+s;break;case 2:i=n+s,r=o-s;break;case 3:n=i-s,r=o-s;break}this._root&&this._root.length&&(this._root=a)}return this._x0=n,this._y0=r,this._x1=i,this._y1=o,this}function kt(){var t=[];return this.visit(function(e){if(!e.length)do t.push(e.data);while(e=e.next)}),t}function _t(t){return arguments.length?this.cover(+t[0][0],+t[0][1]).cover(+t[1][0],+t[1][1]):isNaN(this._x0)?void 0:[[this._x0,this._y0],[this._x1,this._y1]]}function A(t,e,n,r,i){this.node=t,this.x0=e,this.y0=n,this.x1=r,this.y1=i}function Mt(t,e,n){var r,i=this._x0,o=this._y0,s,a,c,l,p=this._x1,y=this._y1,m=[],h=this._root,x,u;for(h&&m.push(new A(h,i,o,p,y)),n==null?n=1/0:(i=t-n,o=e-n,p=t+n,y=e+n,n*=n);x=m.pop();)if(!(!(h=x.node)||(s=x.x0)>p||(a=x.y0)>y||(c=x.x1)<i||(l=x.y1)<o))if(h.length){var f=(s+c)/2,g=(a+l)/2;m.push(new A(h[3],f,g,c,l),new A(h[2],s,g,f,l),new A(h[1],f,a,c,g),new A(h[0],s,a,f,g)),(u=(e>=g)<<1|t>=f)&&(x=m[m.length-1],m[m.length-1]=m[m.length-1-u],m[m.length-1-u]=x)}else{var d=t-+this._x.call(null,h.data),w=e-+this._y.call(null,h.data),v=d*d+w*w;if(v<n){var b=Math.sqrt(n=v);i=t-b,o=e-b,p=t+b,y=e+b,r=h.data}}return r}function At(t){if(isNaN(p=+this._x.call(null,t))||isNaN(y=+this._y.call(null,t)))return this;var e,n=this._root,r,i,o,s=this._x0,a=this._y0,c=this._x1,l=this._y1,p,y,m,h,x,u,f,g;if(!n)return this;if(n.length)for(;;){if((x=p>=(m=(s+c)/2))?s=m:c=m,(u=y>=(h=(a+l)/2))?a=h:l=h,e=n,!(n=n[f=u<<1|x]))return this;if(!n.length)break;(e[f+1&3]||e[f+2&3]||e[f+3&3])&&(r=e,g=f)}for(;n.data!==t;)if(i=n,!(n=n.next))return this;return(o=n.next)&&delete n.next,i?(o?i.next=o:delete i.next,this):e?(o?e[f]=o:delete e[f],(n=e[0]||e[1]||e[2]||e[3])&&n===(e[3]||e[2]||e[1]||e[0])&&!n.length&&(r?r[g]=n:this._root=n),this):(this._root=o,this)}function Nt(t){for(var e=0,n=t.length;e<n;++e)this.remove(t[e]);return this}function Et(){return this._root}function Tt(){var t=0;return this.visit(function(e){if(!e.length)do++t;while(e=e.next)}),t}function St(t){var e=[],n,r=this._root,i,o,s,a,c;for(r&&e.push(new A(r,this._x0,this._y0,this._x1,this._y1));n=e.pop();)if(!t(r=n.node,o=n.x0,s=n.y0,a=n.x1,c=n.y1)&&r.length){var l=(o+a)/2,p=(s+c)/2;(i=r[3])&&e.push(new A(i,l,p,a,c)),(i=r[2])&&e.push(new A(i,o,p,l,c)),(i=r[1])&&e.push(new A(i,l,s,a,p)),(i=r[0])&&e.push(new A(i,o,s,l,p))}return this}function Lt(t){var e=[],n=[],r;for(this._root&&e.push(new A(this._root,this._x0,this._y0,this._x1,this._y1));r=e.pop();){var i=r.node;if(i.length){var o,s=r.x0,a=r.y0,c=r.x1,l=r.y1,p=(s+c)/2,y=(a+l)/2;(o=i[0])&&e.push(new A(o,s,a,p,y)),(o=i[1])&&e.push(new A(o,p,a,c,y)),(o=i[2])&&e.push(new A(o,s,y,p,l)),(o=i[3])&&e.push(new A(o,p,y,c,l))}n.push(r)}for(;r=n.pop();)t(r.node,r.x0,r.y0,r.x1,r.y1);return this}function Rt(t){return t[0]}function Pt(t){return arguments.length?(this._x=t,this):this._x}function Ct(t){return t[1]}function Bt(t){return arguments.length?(this._y=t,this):this._y}function W(t,e,n){var r=new U(e??Rt,n??Ct,NaN,NaN,NaN,NaN);return t==null?r:r.addAll(t)}function U(t,e,n,r,i,o){this._x=t,this._y=e,this._x0=n,this._y0=r,this._x1=i,this._y1=o,this._root=void 0}function nt(t){for(var e={data:t.data},n=e;t=t.next;)n=n.next={data:t.data};return e}var N=W.prototype=U.prototype;N.copy=function(){var t=new U(this._x,this._y,this._x0,this._y0,this._x1,this._y1),e=this._root,n,r;if(!e)return t;if(!e.length)return t._root=nt(e),t;for(n=[{source:e,target:t._root=new Array(4)}];e=n.pop();)for(var i=0;i<4;++i)(r=e.source[i])&&(r.length?n.push({source:r,target:e.target[i]=new Array(4)}):e.target[i]=nt(r));return t};N.add=xt;N.addAll=wt;N.cover=bt;N.data=kt;N.extent=_t;N.find=Mt;N.remove=At;N.removeAll=Nt;N.root=Et;N.size=Tt;N.visit=St;N.visitAfter=Lt;N.x=Pt;N.y=Bt;var It={value:()=>{}};function J(){for(var t=0,e=arguments.length,n={},r;t<e;++t){if(!(r=arguments[t]+"")||r in n||/[\s.]/.test(r))throw new Error("illegal type: "+r);n[r]=[]}return new K(n)}function K(t){this._=t}function Ot(t,e){return t.trim().split(/^|\s+/).map(function(n){var r="",i=n.indexOf(".");if(i>=0&&(r=n.slice(i+1),n=n.slice(0,i)),n&&!e.hasOwnProperty(n))throw new Error("unknown type: "+n);return{type:n,name:r}})}K.prototype=J.prototype={constructor:K,on:function(t,e){var n=this._,r=Ot(t+"",n),i,o=-1,s=r.length;if(arguments.length<2){for(;++o<s;)if((i=(t=r[o]).type)&&(i=Dt(n[i],t.name)))return i;return}if(e!=null&&typeof e!="function")throw new Error("invalid callback: "+e);for(;++o<s;)if(i=(t=r[o]).type)n[i]=it(n[i],t.name,e);else if(e==null)for(i in n)n[i]=it(n[i],t.name,null);return this},copy:function(){var t={},e=this._;for(var n in e)t[n]=e[n].slice();return new K(t)},call:function(t,e){if((i=arguments.length-2)>0)for(var n=new Array(i),r=0,i,o;r<i;++r)n[r]=arguments[r+2];if(!this._.hasOwnProperty(t))throw new Error("unknown type: "+t);for(o=this._[t],r=0,i=o.length;r<i;++r)o[r].value.apply(e,n)},apply:function(t,e,n){if(!this._.hasOwnProperty(t))throw new Error("unknown type: "+t);for(var r=this._[t],i=0,o=r.length;i<o;++i)r[i].value.apply(e,n)}};function Dt(t,e){for(var n=0,r=t.length,i;n<r;++n)if((i=t[n]).name===e)return i.value}function it(t,e,n){for(var r=0,i=t.length;r<i;++r)if(t[r].name===e){t[r]=It,t=t.slice(0,r).concat(t.slice(r+1));break}return n!=null&&t.push({name:e,value:n}),t}var z=0,H=0,$=0,st=1e3,V,j,X=0,D=0,Y=0,F=typeof performance=="object"&&performance.now?performance:Date,at=typeof window=="object"&&window.requestAnimationFrame?window.requestAnimationFrame.bind(window):function(t){setTimeout(t,17)};function lt(){return D||(at(zt),D=F.now()+Y)}function zt(){D=0}function q(){this._call=this._time=this._next=null}q.prototype=tt.prototype={constructor:q,restart:function(t,e,n){if(typeof t!="function")throw new TypeError("callback is not a function");n=(n==null?lt():+n)+(e==null?0:+e),!this._next&&j!==this&&(j?j._next=this:V=this,j=this),this._call=t,this._time=n,Z()},stop:function(){this._call&&(this._call=null,this._time=1/0,Z())}};function tt(t,e,n){var r=new q;return r.restart(t,e,n),r}function $t(){lt(),++z;for(var t=V,e;t;)(e=D-t._time)>=0&&t._call.call(void 0,e),t=t._next;--z}function ot(){D=(X=F.now())+Y,z=H=0;try{$t()}finally{z=0,jt(),D=0}}function Ht(){var t=F.now(),e=t-X;e>st&&(Y-=e,X=t)}function jt(){for(var t,e=V,n,r=1/0;e;)e._call?(r>e._time&&(r=e._time),t=e,e=e._next):(n=e._next,e._next=null,e=t?t._next=n:V=n);j=t,Z(r)}function Z(t){if(!z){H&&(H=clearTimeout(H));var e=t-D;e>24?(t<1/0&&(H=setTimeout(ot,Math.ceil(t-F.now()-Y)+1)),$&&($=clearInterval($))):($||(X=F.now(),$=setInterval(Ht,st)),z=1,at(ot))}}function E(t){return function(){return t}}function O(t){return(t()-.5)*1e-6}function Ft(t){return t.x+t.vx}function Gt(t){return t.y+t.vy}function ct(t){var e,n,r,i=1,o=1;typeof t!="function"&&(t=E(t==null?1:+t));function s(){for(var l,p=e.length,y,m,h,x,u,f,g=0;g<o;++g)for(y=W(e,Ft,Gt).visitAfter(a),l=0;l<p;++l)m=e[l],u=n[m.index],f=u*u,h=m.x+m.vx,x=m.y+m.vy,y.visit(d);function d(w,v,b,M,T){var k=w.data,L=w.r,_=u+L;if(k){if(k.index>m.index){var B=h-k.x-k.vx,I=x-k.y-k.vy,C=B*B+I*I;C<_*_&&(B===0&&(B=O(r),C+=B*B),I===0&&(I=O(r),C+=I*I),C=(_-(C=Math.sqrt(C)))/C*i,m.vx+=(B*=C)*(_=(L*=L)/(f+L)),m.vy+=(I*=C)*_,k.vx-=B*(_=1-_),k.vy-=I*_)}return}return v>h+_||M<h-_||b>x+_||T<x-_}}function a(l){if(l.data)return l.r=n[l.data.index];for(var p=l.r=0;p<4;++p)l[p]&&l[p].r>l.r&&(l.r=l[p].r)}function c(){if(e){var l,p=e.length,y;for(n=new Array(p),l=0;l<p;++l)y=e[l],n[y.index]=+t(y,l,e)}}return s.initialize=function(l,p){e=l,r=p,c()},s.iterations=function(l){return arguments.length?(o=+l,s):o},s.strength=function(l){return arguments.length?(i=+l,s):i},s.radius=function(l){return arguments.length?(t=typeof l=="function"?l:E(+l),c(),s):t},s}function Wt(t){return t.index}function ft(t,e){var n=t.get(e);if(!n)throw new Error("node not found: "+e);return n}function ht(t){var e=Wt,n=y,r,i=E(30),o,s,a,c,l,p=1;t==null&&(t=[]);function y(f){return 1/Math.min(a[f.source.index],a[f.target.index])}function m(f){for(var g=0,d=t.length;g<p;++g)for(var w=0,v,b,M,T,k,L,_;w<d;++w)v=t[w],b=v.source,M=v.target,T=M.x+M.vx-b.x-b.vx||O(l),k=M.y+M.vy-b.y-b.vy||O(l),L=Math.sqrt(T*T+k*k),L=(L-o[w])/L*f*r[w],T*=L,k*=L,M.vx-=T*(_=c[w]),M.vy-=k*_,b.vx+=T*(_=1-_),b.vy+=k*_}function h(){if(s){var f,g=s.length,d=t.length,w=new Map(s.map((b,M)=>[e(b,M,s),b])),v;for(f=0,a=new Array(g);f<d;++f)v=t[f],v.index=f,typeof v.source!="object"&&(v.source=ft(w,v.source)),typeof v.target!="object"&&(v.target=ft(w,v.target)),a[v.source.index]=(a[v.source.index]||0)+1,a[v.target.index]=(a[v.target.index]||0)+1;for(f=0,c=new Array(d);f<d;++f)v=t[f],c[f]=a[v.source.index]/(a[v.source.index]+a[v.target.index]);r=new Array(d),x(),o=new Array(d),u()}}function x(){if(s)for(var f=0,g=t.length;f<g;++f)r[f]=+n(t[f],f,t)}function u(){if(s)for(var f=0,g=t.length;f<g;++f)o[f]=+i(t[f],f,t)}return m.initialize=function(f,g){s=f,l=g,h()},m.links=function(f){return arguments.length?(t=f,h(),m):t},m.id=function(f){return arguments.length?(e=f,m):e},m.iterations=function(f){return arguments.length?(p=+f,m):p},m.strength=function(f){return arguments.length?(n=typeof f=="function"?f:E(+f),x(),m):n},m.distance=function(f){return arguments.length?(i=typeof f=="function"?f:E(+f),u(),m):i},m}var Kt=1664525,Vt=1013904223,ut=4294967296;function Xt(){let t=1;return()=>(t=(Kt*t+Vt)%ut)/ut}function Yt(t){return t.x}function Qt(t){return t.y}var Ut=10,Jt=Math.PI*(3-Math.sqrt(5));function gt(t){var e,n=1,r=.001,i=1-Math.pow(r,1/300),o=0,s=.6,a=new Map,c=tt(y),l=J("tick","end"),p=Xt();t==null&&(t=[]);function y(){m(),l.call("tick",e),n<r&&(c.stop(),l.call("end",e))}function m(u){var f,g=t.length,d;u===void 0&&(u=1);for(var w=0;w<u;++w)for(n+=(o-n)*i,a.forEach(function(v){v(n)}),f=0;f<g;++f)d=t[f],d.fx==null?d.x+=d.vx*=s:(d.x=d.fx,d.vx=0),d.fy==null?d.y+=d.vy*=s:(d.y=d.fy,d.vy=0);return e}function h(){for(var u=0,f=t.length,g;u<f;++u){if(g=t[u],g.index=u,g.fx!=null&&(g.x=g.fx),g.fy!=null&&(g.y=g.fy),isNaN(g.x)||isNaN(g.y)){var d=Ut*Math.sqrt(.5+u),w=u*Jt;g.x=d*Math.cos(w),g.y=d*Math.sin(w)}(isNaN(g.vx)||isNaN(g.vy))&&(g.vx=g.vy=0)}}function x(u){return u.initialize&&u.initialize(t,p),u}return h(),e={tick:m,restart:function(){return c.restart(y),e},stop:function(){return c.stop(),e},nodes:function(u){return arguments.length?(t=u,h(),a.forEach(x),e):t},alpha:function(u){return arguments.length?(n=+u,e):n},alphaMin:function(u){return arguments.length?(r=+u,e):r},alphaDecay:function(u){return arguments.length?(i=+u,e):+i},alphaTarget:function(u){return arguments.length?(o=+u,e):o},velocityDecay:function(u){return arguments.length?(s=1-u,e):1-s},randomSource:function(u){return arguments.length?(p=u,a.forEach(x),e):p},force:function(u,f){return arguments.length>1?(f==null?a.delete(u):a.set(u,x(f)),e):a.get(u)},find:function(u,f,g){var d=0,w=t.length,v,b,M,T,k;for(g==null?g=1/0:g*=g,d=0;d<w;++d)T=t[d],v=u-T.x,b=f-T.y,M=v*v+b*b,M<g&&(k=T,g=M);return k},on:function(u,f){return arguments.length>1?(l.on(u,f),e):l.on(u)}}}function pt(){var t,e,n,r,i=E(-30),o,s=1,a=1/0,c=.81;function l(h){var x,u=t.length,f=W(t,Yt,Qt).visitAfter(y);for(r=h,x=0;x<u;++x)e=t[x],f.visit(m)}function p(){if(t){var h,x=t.length,u;for(o=new Array(x),h=0;h<x;++h)u=t[h],o[u.index]=+i(u,h,t)}}function y(h){var x=0,u,f,g=0,d,w,v;if(h.length){for(d=w=v=0;v<4;++v)(u=h[v])&&(f=Math.abs(u.value))&&(x+=u.value,g+=f,d+=f*u.x,w+=f*u.y);h.x=d/g,h.y=w/g}else{u=h,u.x=u.data.x,u.y=u.data.y;do x+=o[u.data.index];while(u=u.next)}h.value=x}function m(h,x,u,f){if(!h.value)return!0;var g=h.x-e.x,d=h.y-e.y,w=f-x,v=g*g+d*d;if(w*w/c<v)return v<a&&(g===0&&(g=O(n),v+=g*g),d===0&&(d=O(n),v+=d*d),v<s&&(v=Math.sqrt(s*v)),e.vx+=g*h.value*r/v,e.vy+=d*h.value*r/v),!0;if(h.length||v>=a)return;(h.data!==e||h.next)&&(g===0&&(g=O(n),v+=g*g),d===0&&(d=O(n),v+=d*d),v<s&&(v=Math.sqrt(s*v)));do h.data!==e&&(w=o[h.data.index]*r/v,e.vx+=g*w,e.vy+=d*w);while(h=h.next)}return l.initialize=function(h,x){t=h,n=x,p()},l.strength=function(h){return arguments.length?(i=typeof h=="function"?h:E(+h),p(),l):i},l.distanceMin=function(h){return arguments.length?(s=h*h,l):Math.sqrt(s)},l.distanceMax=function(h){return arguments.length?(a=h*h,l):Math.sqrt(a)},l.theta=function(h){return arguments.length?(c=h*h,l):Math.sqrt(c)},l}function dt(t){var e=E(.1),n,r,i;typeof t!="function"&&(t=E(t==null?0:+t));function o(a){for(var c=0,l=n.length,p;c<l;++c)p=n[c],p.vx+=(i[c]-p.x)*r[c]*a}function s(){if(n){var a,c=n.length;for(r=new Array(c),i=new Array(c),a=0;a<c;++a)r[a]=isNaN(i[a]=+t(n[a],a,n))?0:+e(n[a],a,n)}}return o.initialize=function(a){n=a,s()},o.strength=function(a){return arguments.length?(e=typeof a=="function"?a:E(+a),s(),o):e},o.x=function(a){return arguments.length?(t=typeof a=="function"?a:E(+a),s(),o):t},o}function vt(t){var e=E(.1),n,r,i;typeof t!="function"&&(t=E(t==null?0:+t));function o(a){for(var c=0,l=n.length,p;c<l;++c)p=n[c],p.vy+=(i[c]-p.y)*r[c]*a}function s(){if(n){var a,c=n.length;for(r=new Array(c),i=new Array(c),a=0;a<c;++a)r[a]=isNaN(i[a]=+t(n[a],a,n))?0:+e(n[a],a,n)}}return o.initialize=function(a){n=a,s()},o.strength=function(a){return arguments.length?(e=typeof a=="function"?a:E(+a),s(),o):e},o.y=function(a){return arguments.length?(t=typeof a=="function"?a:E(+a),s(),o):t},o}function R(t,e,...n){let r=document.createElement(t);for(let[i,o]of Object.entries(e))typeof o=="function"?r.addEventListener(i,o):typeof o=="boolean"?r.toggleAttribute(i,o):r.setAttribute(i,o);return r.append(...n.filter(i=>i!==null)),r}var mt={light:{ground:"#fbfcfe",ink:"#16202e",faint:"#66758a",grid:"#e3e8ef",link:"#8795a8",tree:"#0072B2",client:"#4c5a6d",broken:"#D55E00",halo:"#fbfcfe",select:"#e69f00",lost:"#c8102e",parts:["#cfe3f5","#fde7c3","#d3efe3","#f3dbe8","#e4e0f4","#eceec9"]},dark:{ground:"#10161f",ink:"#e8eef6",faint:"#93a3b8",grid:"#1e2835",link:"#66788f",tree:"#4aa8e0",client:"#a5b4c6",broken:"#ff8a3d",halo:"#10161f",select:"#ffc04d",lost:"#ff6b6b",parts:["#16344d","#41331a","#15402f","#402337","#2d2850","#393a17"]}};var[G,Q]=[620,380],S=mt.light;function P(t,e,...n){let r=document.createElementNS("http://www.w3.org/2000/svg",t);for(let[i,o]of Object.entries(e))r.setAttribute(i,String(o));return r.append(...n),r}var et=class{constructor(e,n){this.model=e;n.append(R("div",{style:"font:13px system-ui,sans-serif;max-width:900px"},R("button",{class:"step",click:()=>e.send({do:"step"})},"step")," ",R("button",{class:"settle",click:()=>e.send({do:"settle"})},"settle")," ",this.linking,R("span",{style:`color:${S.faint}`}," Drag to arrange; click a node for what it knows, an arrow to deliver its message."),this.error,R("div",{style:"display:grid;grid-template-columns:minmax(0,2fr) minmax(0,1fr);gap:12px"},this.picture,this.knowledge),this.log))}model;bodies=new Map;picture=P("svg",{viewBox:`0 0 ${G} ${Q}`,width:"100%",style:"touch-action:none"});knowledge=R("pre",{class:"knowledge"});log=R("pre",{class:"log"});error=R("p",{role:"alert",style:`color:${S.lost}`});linking=R("button",{"aria-pressed":"false",click:()=>this.beginLink()},"link, part or move");chosen="";isLinking=!1;show(){let e=this.model.get("told");this.place(e);let n=[...this.links(e),...this.messages(e),...this.nodes(e)];this.picture.replaceChildren(P("defs",{},qt()),...n),this.error.textContent=e.error,this.log.textContent=e.log.join(`
`);let r=e.brokers.find(({name:s})=>s===this.chosen),i=e.clients.find(({name:s})=>s===this.chosen),o=r?r.knows:i?[`at ${i.broker}`,`got: ${i.got.join(" ")||"nothing"}`]:[];this.knowledge.textContent=this.chosen?[this.chosen,...o].join(`
`):""}place(e){let n=[...e.brokers,...e.clients].map(({name:s})=>s),r=n.filter(s=>!this.bodies.has(s));if(!r.length)return;r.forEach((s,a)=>this.bodies.set(s,{name:s,x:G/2+40*Math.cos(a),y:Q/2+40*Math.sin(a)}));let i=n.filter(s=>!r.includes(s)),o=n.map(s=>Object.assign(this.bodies.get(s),{fx:void 0,fy:void 0}));for(let s of i)Object.assign(this.bodies.get(s),{fx:this.bodies.get(s).x,fy:this.bodies.get(s).y});gt(o).force("links",ht(yt(e).map(([s,a])=>({source:s,target:a}))).id(({name:s})=>s).distance(70)).force("apart",pt().strength(-220)).force("near",ct(26)).force("x",dt(G/2).strength(.05)).force("y",vt(Q/2).strength(.09)).stop().tick(300);for(let s of o)this.keepInside(s)}keepInside(e){e.x=Math.min(G-24,Math.max(24,e.x)),e.y=Math.min(Q-24,Math.max(24,e.y))}line(e,n,r){let[i,o]=[this.bodies.get(e),this.bodies.get(n)];return P("line",{x1:i.x,y1:i.y,x2:o.x,y2:o.y,...r})}links(e){let n=new Set(e.clients.map(({name:r})=>r));return yt(e).map(([r,i])=>this.line(r,i,n.has(r)?{stroke:S.client,"stroke-dasharray":"3 3"}:{stroke:S.tree,"stroke-width":3}))}messages(e){return e.pending.filter(([n,r])=>n!==r&&this.bodies.has(n)&&this.bodies.has(r)).map(([n,r])=>{let i=this.line(n,r,{stroke:S.select,"stroke-width":5,"marker-end":"url(#head)",class:"message",style:"cursor:pointer"});return i.append(P("title",{},`deliver ${n} → ${r}`)),i.addEventListener("click",()=>this.model.send({do:"step link",one:n,other:r})),i})}nodes(e){return[...e.brokers.map(({name:r,isUp:i})=>this.node(r,"B",i)),...e.clients.map(({name:r,role:i})=>this.node(r,i,!0))]}node(e,n,r){let i=this.bodies.get(e),s={fill:r?n==="B"?S.tree:n==="S"?"#009E73":S.broken:S.ground,stroke:e===this.chosen?S.select:S.ink,"stroke-width":e===this.chosen?4:1},a=n==="B"?P("rect",{x:-11,y:-11,width:22,height:22,...s}):P("circle",{r:11,...s}),c=P("text",{y:25,"text-anchor":"middle","font-size":12,fill:S.ink},e),l=P("g",{transform:`translate(${i.x} ${i.y})`,class:"node","data-name":e,style:"cursor:grab"},a,c);return l.addEventListener("pointerdown",p=>this.drag(p,i)),l}drag(e,n){e.preventDefault();let r=G/this.picture.getBoundingClientRect().width,[i,o]=[n.x,n.y],s=!1,a=l=>{let[p,y]=[l.clientX-e.clientX,l.clientY-e.clientY];s||=Math.hypot(p,y)>4,[n.x,n.y]=[i+r*p,o+r*y],this.keepInside(n),this.show()},c=()=>{removeEventListener("pointermove",a),s||this.pick(n.name)};addEventListener("pointermove",a),addEventListener("pointerup",c,{once:!0})}beginLink(){this.isLinking=this.chosen!=="",this.linking.setAttribute("aria-pressed",String(this.isLinking)),this.error.textContent=this.isLinking?`Now click whom ${this.chosen} is linked with, parted from, or moved to.`:"First click a node."}pick(e){if(this.isLinking){this.isLinking=!1,this.linking.setAttribute("aria-pressed","false"),this.model.send({do:"link",one:this.chosen,other:e});return}this.chosen=e,this.show()}};function yt(t){return[...t.brokers.filter(({parent:n})=>n!==null).map(({name:n,parent:r})=>[n,r]),...t.clients.map(({name:n,broker:r})=>[n,r])]}function qt(){return P("marker",{id:"head",viewBox:"0 0 10 10",refX:16,refY:5,markerWidth:4,markerHeight:4,orient:"auto"},P("path",{d:"M0 0L10 5L0 10z",fill:S.select}))}function Zt({model:t,el:e}){let n=new et(t,e),r=()=>n.show();return r(),t.on("change:told",r),()=>t.off("change:told",r)}var he={render:Zt};export{he as default};
/*
Made from python/viewer, GPL-2.0-only. It has in it:

d3-array 3.2.5

Copyright 2010-2026 Mike Bostock

Permission to use, copy, modify, and/or distribute this software for any purpose
with or without fee is hereby granted, provided that the above copyright notice
and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH
REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND
FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT,
INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS
OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER
TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF
THIS SOFTWARE.


d3-color 3.1.1

Copyright 2010-2026 Mike Bostock

Permission to use, copy, modify, and/or distribute this software for any purpose
with or without fee is hereby granted, provided that the above copyright notice
and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH
REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND
FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT,
INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS
OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER
TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF
THIS SOFTWARE.


d3-dispatch 3.0.2

Copyright 2010-2026 Mike Bostock

Permission to use, copy, modify, and/or distribute this software for any purpose
with or without fee is hereby granted, provided that the above copyright notice
and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH
REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND
FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT,
INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS
OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER
TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF
THIS SOFTWARE.


d3-drag 3.0.1

Copyright 2010-2026 Mike Bostock

Permission to use, copy, modify, and/or distribute this software for any purpose
with or without fee is hereby granted, provided that the above copyright notice
and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH
REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND
FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT,
INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS
OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER
TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF
THIS SOFTWARE.


d3-ease 3.0.2

Copyright 2010-2026 Mike Bostock
Copyright 2001 Robert Penner
All rights reserved.

Redistribution and use in source and binary forms, with or without modification,
are permitted provided that the following conditions are met:

* Redistributions of source code must retain the above copyright notice, this
  list of conditions and the following disclaimer.

* Redistributions in binary form must reproduce the above copyright notice,
  this list of conditions and the following disclaimer in the documentation
  and/or other materials provided with the distribution.

* Neither the name of the author nor the names of contributors may be used to
  endorse or promote products derived from this software without specific prior
  written permission.

THIS SOFTWARE IS PROVIDED BY THE COPYRIGHT HOLDERS AND CONTRIBUTORS "AS IS" AND
ANY EXPRESS OR IMPLIED WARRANTIES, INCLUDING, BUT NOT LIMITED TO, THE IMPLIED
WARRANTIES OF MERCHANTABILITY AND FITNESS FOR A PARTICULAR PURPOSE ARE
DISCLAIMED. IN NO EVENT SHALL THE COPYRIGHT OWNER OR CONTRIBUTORS BE LIABLE FOR
ANY DIRECT, INDIRECT, INCIDENTAL, SPECIAL, EXEMPLARY, OR CONSEQUENTIAL DAMAGES
(INCLUDING, BUT NOT LIMITED TO, PROCUREMENT OF SUBSTITUTE GOODS OR SERVICES;
LOSS OF USE, DATA, OR PROFITS; OR BUSINESS INTERRUPTION) HOWEVER CAUSED AND ON
ANY THEORY OF LIABILITY, WHETHER IN CONTRACT, STRICT LIABILITY, OR TORT
(INCLUDING NEGLIGENCE OR OTHERWISE) ARISING IN ANY WAY OUT OF THE USE OF THIS
SOFTWARE, EVEN IF ADVISED OF THE POSSIBILITY OF SUCH DAMAGE.


d3-force 3.0.1

Copyright 2010-2026 Mike Bostock

Permission to use, copy, modify, and/or distribute this software for any purpose
with or without fee is hereby granted, provided that the above copyright notice
and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH
REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND
FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT,
INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS
OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER
TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF
THIS SOFTWARE.


d3-format 3.1.3

Copyright 2010-2026 Mike Bostock

Permission to use, copy, modify, and/or distribute this software for any purpose
with or without fee is hereby granted, provided that the above copyright notice
and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH
REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND
FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT,
INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS
OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER
TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF
THIS SOFTWARE.


d3-interpolate 3.0.2

Copyright 2010-2026 Mike Bostock

Permission to use, copy, modify, and/or distribute this software for any purpose
with or without fee is hereby granted, provided that the above copyright notice
and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH
REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND
FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT,
INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS
OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER
TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF
THIS SOFTWARE.


d3-polygon 3.0.2

Copyright 2010-2026 Mike Bostock

Permission to use, copy, modify, and/or distribute this software for any purpose
with or without fee is hereby granted, provided that the above copyright notice
and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH
REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND
FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT,
INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS
OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER
TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF
THIS SOFTWARE.


d3-quadtree 3.0.2

Copyright 2010-2026 Mike Bostock

Permission to use, copy, modify, and/or distribute this software for any purpose
with or without fee is hereby granted, provided that the above copyright notice
and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH
REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND
FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT,
INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS
OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER
TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF
THIS SOFTWARE.


d3-scale 4.0.3

Copyright 2010-2026 Mike Bostock

Permission to use, copy, modify, and/or distribute this software for any purpose
with or without fee is hereby granted, provided that the above copyright notice
and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH
REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND
FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT,
INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS
OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER
TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF
THIS SOFTWARE.


d3-selection 3.0.1

Copyright 2010-2026 Mike Bostock

Permission to use, copy, modify, and/or distribute this software for any purpose
with or without fee is hereby granted, provided that the above copyright notice
and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH
REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND
FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT,
INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS
OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER
TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF
THIS SOFTWARE.


d3-time 3.1.1

Copyright 2010-2026 Mike Bostock

Permission to use, copy, modify, and/or distribute this software for any purpose
with or without fee is hereby granted, provided that the above copyright notice
and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH
REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND
FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT,
INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS
OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER
TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF
THIS SOFTWARE.


d3-time-format 4.1.1

Copyright 2010-2026 Mike Bostock

Permission to use, copy, modify, and/or distribute this software for any purpose
with or without fee is hereby granted, provided that the above copyright notice
and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH
REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND
FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT,
INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS
OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER
TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF
THIS SOFTWARE.


d3-timer 3.0.2

Copyright 2010-2026 Mike Bostock

Permission to use, copy, modify, and/or distribute this software for any purpose
with or without fee is hereby granted, provided that the above copyright notice
and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH
REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND
FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT,
INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS
OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER
TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF
THIS SOFTWARE.


d3-transition 3.0.2

Copyright 2010-2026 Mike Bostock

Permission to use, copy, modify, and/or distribute this software for any purpose
with or without fee is hereby granted, provided that the above copyright notice
and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH
REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND
FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT,
INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS
OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER
TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF
THIS SOFTWARE.


d3-zoom 3.0.1

Copyright 2010-2026 Mike Bostock

Permission to use, copy, modify, and/or distribute this software for any purpose
with or without fee is hereby granted, provided that the above copyright notice
and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH
REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND
FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT,
INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS
OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER
TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF
THIS SOFTWARE.


internmap 2.0.3

Copyright 2021 Mike Bostock

Permission to use, copy, modify, and/or distribute this software for any purpose
with or without fee is hereby granted, provided that the above copyright notice
and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH
REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND
FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT,
INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS
OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER
TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF
THIS SOFTWARE.
*/
