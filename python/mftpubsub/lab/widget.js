function xt(t){let e=+this._x.call(null,t),n=+this._y.call(null,t);return rt(this.cover(e,n),e,n,t)}function rt(t,e,n,r){if(isNaN(e)||isNaN(n))return t;var i,o=t._root,s={data:r},a=t._x0,c=t._y0,f=t._x1,p=t._y1,y,m,h,x,u,l,g,d;if(!o)return t._root=s,t;for(;o.length;)if((u=e>=(y=(a+f)/2))?a=y:f=y,(l=n>=(m=(c+p)/2))?c=m:p=m,i=o,!(o=o[g=l<<1|u]))return i[g]=s,t;if(h=+t._x.call(null,o.data),x=+t._y.call(null,o.data),e===h&&n===x)return s.next=o,i?i[g]=s:t._root=s,t;do i=i?i[g]=new Array(4):t._root=new Array(4),(u=e>=(y=(a+f)/2))?a=y:f=y,(l=n>=(m=(c+p)/2))?c=m:p=m;while((g=l<<1|u)===(d=(x>=m)<<1|h>=y));return i[d]=o,i[g]=s,t}function wt(t){Array.isArray(t)||(t=Array.from(t));let e=t.length,n=new Float64Array(e),r=new Float64Array(e),i=1/0,o=i,s=-i,a=s;for(let c=0,f,p,y;c<e;++c){if(isNaN(p=+this._x.call(null,f=t[c]))||isNaN(y=+this._y.call(null,f))){n[c]=NaN;continue}n[c]=p,r[c]=y,p<i&&(i=p),p>s&&(s=p),y<o&&(o=y),y>a&&(a=y)}if(i>s||o>a)return this;this.cover(i,o).cover(s,a);for(let c=0;c<e;++c)rt(this,n[c],r[c],t[c]);return this}function kt(t,e){if(isNaN(t=+t)||isNaN(e=+e))return this;var n=this._x0,r=this._y0,i=this._x1,o=this._y1;if(isNaN(n))i=(n=Math.floor(t))+1,o=(r=Math.floor(e))+1;else{for(var s=i-n||1,a=this._root,c,f;n>t||t>=i||r>e||e>=o;)switch(f=(e<r)<<1|t<n,c=new Array(4),c[f]=a,a=c,s*=2,f){case 0:i=n+s,o=r+s;break;case 1:n=i-s,o=r+s;break;case 2:i=n+s,r=o-s;break;case 3:n=i-s,r=o-s;break}this._root&&this._root.length&&(this._root=a)}return this._x0=n,this._y0=r,this._x1=i,this._y1=o,this}function bt(){var t=[];return this.visit(function(e){if(!e.length)do t.push(e.data);while(e=e.next)}),t}function _t(t){return arguments.length?this.cover(+t[0][0],+t[0][1]).cover(+t[1][0],+t[1][1]):isNaN(this._x0)?void 0:[[this._x0,this._y0],[this._x1,this._y1]]}function M(t,e,n,r,i){this.node=t,this.x0=e,this.y0=n,this.x1=r,this.y1=i}function Et(t,e,n){var r,i=this._x0,o=this._y0,s,a,c,f,p=this._x1,y=this._y1,m=[],h=this._root,x,u;for(h&&m.push(new M(h,i,o,p,y)),n==null?n=1/0:(i=t-n,o=e-n,p=t+n,y=e+n,n*=n);x=m.pop();)if(!(!(h=x.node)||(s=x.x0)>p||(a=x.y0)>y||(c=x.x1)<i||(f=x.y1)<o))if(h.length){var l=(s+c)/2,g=(a+f)/2;m.push(new M(h[3],l,g,c,f),new M(h[2],s,g,l,f),new M(h[1],l,a,c,g),new M(h[0],s,a,l,g)),(u=(e>=g)<<1|t>=l)&&(x=m[m.length-1],m[m.length-1]=m[m.length-1-u],m[m.length-1-u]=x)}else{var d=t-+this._x.call(null,h.data),w=e-+this._y.call(null,h.data),v=d*d+w*w;if(v<n){var k=Math.sqrt(n=v);i=t-k,o=e-k,p=t+k,y=e+k,r=h.data}}return r}function Mt(t){if(isNaN(p=+this._x.call(null,t))||isNaN(y=+this._y.call(null,t)))return this;var e,n=this._root,r,i,o,s=this._x0,a=this._y0,c=this._x1,f=this._y1,p,y,m,h,x,u,l,g;if(!n)return this;if(n.length)for(;;){if((x=p>=(m=(s+c)/2))?s=m:c=m,(u=y>=(h=(a+f)/2))?a=h:f=h,e=n,!(n=n[l=u<<1|x]))return this;if(!n.length)break;(e[l+1&3]||e[l+2&3]||e[l+3&3])&&(r=e,g=l)}for(;n.data!==t;)if(i=n,!(n=n.next))return this;return(o=n.next)&&delete n.next,i?(o?i.next=o:delete i.next,this):e?(o?e[l]=o:delete e[l],(n=e[0]||e[1]||e[2]||e[3])&&n===(e[3]||e[2]||e[1]||e[0])&&!n.length&&(r?r[g]=n:this._root=n),this):(this._root=o,this)}function Nt(t){for(var e=0,n=t.length;e<n;++e)this.remove(t[e]);return this}function At(){return this._root}function Tt(){var t=0;return this.visit(function(e){if(!e.length)do++t;while(e=e.next)}),t}function Lt(t){var e=[],n,r=this._root,i,o,s,a,c;for(r&&e.push(new M(r,this._x0,this._y0,this._x1,this._y1));n=e.pop();)if(!t(r=n.node,o=n.x0,s=n.y0,a=n.x1,c=n.y1)&&r.length){var f=(o+a)/2,p=(s+c)/2;(i=r[3])&&e.push(new M(i,f,p,a,c)),(i=r[2])&&e.push(new M(i,o,p,f,c)),(i=r[1])&&e.push(new M(i,f,s,a,p)),(i=r[0])&&e.push(new M(i,o,s,f,p))}return this}function St(t){var e=[],n=[],r;for(this._root&&e.push(new M(this._root,this._x0,this._y0,this._x1,this._y1));r=e.pop();){var i=r.node;if(i.length){var o,s=r.x0,a=r.y0,c=r.x1,f=r.y1,p=(s+c)/2,y=(a+f)/2;(o=i[0])&&e.push(new M(o,s,a,p,y)),(o=i[1])&&e.push(new M(o,p,a,c,y)),(o=i[2])&&e.push(new M(o,s,y,p,f)),(o=i[3])&&e.push(new M(o,p,y,c,f))}n.push(r)}for(;r=n.pop();)t(r.node,r.x0,r.y0,r.x1,r.y1);return this}function Pt(t){return t[0]}function Ct(t){return arguments.length?(this._x=t,this):this._x}function Bt(t){return t[1]}function Rt(t){return arguments.length?(this._y=t,this):this._y}function K(t,e,n){var r=new W(e??Pt,n??Bt,NaN,NaN,NaN,NaN);return t==null?r:r.addAll(t)}function W(t,e,n,r,i,o){this._x=t,this._y=e,this._x0=n,this._y0=r,this._x1=i,this._y1=o,this._root=void 0}function nt(t){for(var e={data:t.data},n=e;t=t.next;)n=n.next={data:t.data};return e}var N=K.prototype=W.prototype;N.copy=function(){var t=new W(this._x,this._y,this._x0,this._y0,this._x1,this._y1),e=this._root,n,r;if(!e)return t;if(!e.length)return t._root=nt(e),t;for(n=[{source:e,target:t._root=new Array(4)}];e=n.pop();)for(var i=0;i<4;++i)(r=e.source[i])&&(r.length?n.push({source:r,target:e.target[i]=new Array(4)}):e.target[i]=nt(r));return t};N.add=xt;N.addAll=wt;N.cover=kt;N.data=bt;N.extent=_t;N.find=Et;N.remove=Mt;N.removeAll=Nt;N.root=At;N.size=Tt;N.visit=Lt;N.visitAfter=St;N.x=Ct;N.y=Rt;var zt={value:()=>{}};function q(){for(var t=0,e=arguments.length,n={},r;t<e;++t){if(!(r=arguments[t]+"")||r in n||/[\s.]/.test(r))throw new Error("illegal type: "+r);n[r]=[]}return new V(n)}function V(t){this._=t}function Dt(t,e){return t.trim().split(/^|\s+/).map(function(n){var r="",i=n.indexOf(".");if(i>=0&&(r=n.slice(i+1),n=n.slice(0,i)),n&&!e.hasOwnProperty(n))throw new Error("unknown type: "+n);return{type:n,name:r}})}V.prototype=q.prototype={constructor:V,on:function(t,e){var n=this._,r=Dt(t+"",n),i,o=-1,s=r.length;if(arguments.length<2){for(;++o<s;)if((i=(t=r[o]).type)&&(i=It(n[i],t.name)))return i;return}if(e!=null&&typeof e!="function")throw new Error("invalid callback: "+e);for(;++o<s;)if(i=(t=r[o]).type)n[i]=it(n[i],t.name,e);else if(e==null)for(i in n)n[i]=it(n[i],t.name,null);return this},copy:function(){var t={},e=this._;for(var n in e)t[n]=e[n].slice();return new V(t)},call:function(t,e){if((i=arguments.length-2)>0)for(var n=new Array(i),r=0,i,o;r<i;++r)n[r]=arguments[r+2];if(!this._.hasOwnProperty(t))throw new Error("unknown type: "+t);for(o=this._[t],r=0,i=o.length;r<i;++r)o[r].value.apply(e,n)},apply:function(t,e,n){if(!this._.hasOwnProperty(t))throw new Error("unknown type: "+t);for(var r=this._[t],i=0,o=r.length;i<o;++i)r[i].value.apply(e,n)}};function It(t,e){for(var n=0,r=t.length,i;n<r;++n)if((i=t[n]).name===e)return i.value}function it(t,e,n){for(var r=0,i=t.length;r<i;++r)if(t[r].name===e){t[r]=zt,t=t.slice(0,r).concat(t.slice(r+1));break}return n!=null&&t.push({name:e,value:n}),t}var O=0,j=0,$=0,st=1e3,X,F,Y=0,I=0,Q=0,H=typeof performance=="object"&&performance.now?performance:Date,at=typeof window=="object"&&window.requestAnimationFrame?window.requestAnimationFrame.bind(window):function(t){setTimeout(t,17)};function ft(){return I||(at(Ot),I=H.now()+Q)}function Ot(){I=0}function J(){this._call=this._time=this._next=null}J.prototype=tt.prototype={constructor:J,restart:function(t,e,n){if(typeof t!="function")throw new TypeError("callback is not a function");n=(n==null?ft():+n)+(e==null?0:+e),!this._next&&F!==this&&(F?F._next=this:X=this,F=this),this._call=t,this._time=n,Z()},stop:function(){this._call&&(this._call=null,this._time=1/0,Z())}};function tt(t,e,n){var r=new J;return r.restart(t,e,n),r}function $t(){ft(),++O;for(var t=X,e;t;)(e=I-t._time)>=0&&t._call.call(void 0,e),t=t._next;--O}function ot(){I=(Y=H.now())+Q,O=j=0;try{$t()}finally{O=0,Ft(),I=0}}function jt(){var t=H.now(),e=t-Y;e>st&&(Q-=e,Y=t)}function Ft(){for(var t,e=X,n,r=1/0;e;)e._call?(r>e._time&&(r=e._time),t=e,e=e._next):(n=e._next,e._next=null,e=t?t._next=n:X=n);F=t,Z(r)}function Z(t){if(!O){j&&(j=clearTimeout(j));var e=t-I;e>24?(t<1/0&&(j=setTimeout(ot,Math.ceil(t-H.now()-Q)+1)),$&&($=clearInterval($))):($||(Y=H.now(),$=setInterval(jt,st)),O=1,at(ot))}}function A(t){return function(){return t}}function D(t){return(t()-.5)*1e-6}function Ht(t){return t.x+t.vx}function Gt(t){return t.y+t.vy}function ct(t){var e,n,r,i=1,o=1;typeof t!="function"&&(t=A(t==null?1:+t));function s(){for(var f,p=e.length,y,m,h,x,u,l,g=0;g<o;++g)for(y=K(e,Ht,Gt).visitAfter(a),f=0;f<p;++f)m=e[f],u=n[m.index],l=u*u,h=m.x+m.vx,x=m.y+m.vy,y.visit(d);function d(w,v,k,E,T){var b=w.data,S=w.r,_=u+S;if(b){if(b.index>m.index){var R=h-b.x-b.vx,z=x-b.y-b.vy,B=R*R+z*z;B<_*_&&(R===0&&(R=D(r),B+=R*R),z===0&&(z=D(r),B+=z*z),B=(_-(B=Math.sqrt(B)))/B*i,m.vx+=(R*=B)*(_=(S*=S)/(l+S)),m.vy+=(z*=B)*_,b.vx-=R*(_=1-_),b.vy-=z*_)}return}return v>h+_||E<h-_||k>x+_||T<x-_}}function a(f){if(f.data)return f.r=n[f.data.index];for(var p=f.r=0;p<4;++p)f[p]&&f[p].r>f.r&&(f.r=f[p].r)}function c(){if(e){var f,p=e.length,y;for(n=new Array(p),f=0;f<p;++f)y=e[f],n[y.index]=+t(y,f,e)}}return s.initialize=function(f,p){e=f,r=p,c()},s.iterations=function(f){return arguments.length?(o=+f,s):o},s.strength=function(f){return arguments.length?(i=+f,s):i},s.radius=function(f){return arguments.length?(t=typeof f=="function"?f:A(+f),c(),s):t},s}function Kt(t){return t.index}function lt(t,e){var n=t.get(e);if(!n)throw new Error("node not found: "+e);return n}function ht(t){var e=Kt,n=y,r,i=A(30),o,s,a,c,f,p=1;t==null&&(t=[]);function y(l){return 1/Math.min(a[l.source.index],a[l.target.index])}function m(l){for(var g=0,d=t.length;g<p;++g)for(var w=0,v,k,E,T,b,S,_;w<d;++w)v=t[w],k=v.source,E=v.target,T=E.x+E.vx-k.x-k.vx||D(f),b=E.y+E.vy-k.y-k.vy||D(f),S=Math.sqrt(T*T+b*b),S=(S-o[w])/S*l*r[w],T*=S,b*=S,E.vx-=T*(_=c[w]),E.vy-=b*_,k.vx+=T*(_=1-_),k.vy+=b*_}function h(){if(s){var l,g=s.length,d=t.length,w=new Map(s.map((k,E)=>[e(k,E,s),k])),v;for(l=0,a=new Array(g);l<d;++l)v=t[l],v.index=l,typeof v.source!="object"&&(v.source=lt(w,v.source)),typeof v.target!="object"&&(v.target=lt(w,v.target)),a[v.source.index]=(a[v.source.index]||0)+1,a[v.target.index]=(a[v.target.index]||0)+1;for(l=0,c=new Array(d);l<d;++l)v=t[l],c[l]=a[v.source.index]/(a[v.source.index]+a[v.target.index]);r=new Array(d),x(),o=new Array(d),u()}}function x(){if(s)for(var l=0,g=t.length;l<g;++l)r[l]=+n(t[l],l,t)}function u(){if(s)for(var l=0,g=t.length;l<g;++l)o[l]=+i(t[l],l,t)}return m.initialize=function(l,g){s=l,f=g,h()},m.links=function(l){return arguments.length?(t=l,h(),m):t},m.id=function(l){return arguments.length?(e=l,m):e},m.iterations=function(l){return arguments.length?(p=+l,m):p},m.strength=function(l){return arguments.length?(n=typeof l=="function"?l:A(+l),x(),m):n},m.distance=function(l){return arguments.length?(i=typeof l=="function"?l:A(+l),u(),m):i},m}var Vt=1664525,Xt=1013904223,ut=4294967296;function Yt(){let t=1;return()=>(t=(Vt*t+Xt)%ut)/ut}function Qt(t){return t.x}function Ut(t){return t.y}var Wt=10,qt=Math.PI*(3-Math.sqrt(5));function gt(t){var e,n=1,r=.001,i=1-Math.pow(r,1/300),o=0,s=.6,a=new Map,c=tt(y),f=q("tick","end"),p=Yt();t==null&&(t=[]);function y(){m(),f.call("tick",e),n<r&&(c.stop(),f.call("end",e))}function m(u){var l,g=t.length,d;u===void 0&&(u=1);for(var w=0;w<u;++w)for(n+=(o-n)*i,a.forEach(function(v){v(n)}),l=0;l<g;++l)d=t[l],d.fx==null?d.x+=d.vx*=s:(d.x=d.fx,d.vx=0),d.fy==null?d.y+=d.vy*=s:(d.y=d.fy,d.vy=0);return e}function h(){for(var u=0,l=t.length,g;u<l;++u){if(g=t[u],g.index=u,g.fx!=null&&(g.x=g.fx),g.fy!=null&&(g.y=g.fy),isNaN(g.x)||isNaN(g.y)){var d=Wt*Math.sqrt(.5+u),w=u*qt;g.x=d*Math.cos(w),g.y=d*Math.sin(w)}(isNaN(g.vx)||isNaN(g.vy))&&(g.vx=g.vy=0)}}function x(u){return u.initialize&&u.initialize(t,p),u}return h(),e={tick:m,restart:function(){return c.restart(y),e},stop:function(){return c.stop(),e},nodes:function(u){return arguments.length?(t=u,h(),a.forEach(x),e):t},alpha:function(u){return arguments.length?(n=+u,e):n},alphaMin:function(u){return arguments.length?(r=+u,e):r},alphaDecay:function(u){return arguments.length?(i=+u,e):+i},alphaTarget:function(u){return arguments.length?(o=+u,e):o},velocityDecay:function(u){return arguments.length?(s=1-u,e):1-s},randomSource:function(u){return arguments.length?(p=u,a.forEach(x),e):p},force:function(u,l){return arguments.length>1?(l==null?a.delete(u):a.set(u,x(l)),e):a.get(u)},find:function(u,l,g){var d=0,w=t.length,v,k,E,T,b;for(g==null?g=1/0:g*=g,d=0;d<w;++d)T=t[d],v=u-T.x,k=l-T.y,E=v*v+k*k,E<g&&(b=T,g=E);return b},on:function(u,l){return arguments.length>1?(f.on(u,l),e):f.on(u)}}}function pt(){var t,e,n,r,i=A(-30),o,s=1,a=1/0,c=.81;function f(h){var x,u=t.length,l=K(t,Qt,Ut).visitAfter(y);for(r=h,x=0;x<u;++x)e=t[x],l.visit(m)}function p(){if(t){var h,x=t.length,u;for(o=new Array(x),h=0;h<x;++h)u=t[h],o[u.index]=+i(u,h,t)}}function y(h){var x=0,u,l,g=0,d,w,v;if(h.length){for(d=w=v=0;v<4;++v)(u=h[v])&&(l=Math.abs(u.value))&&(x+=u.value,g+=l,d+=l*u.x,w+=l*u.y);h.x=d/g,h.y=w/g}else{u=h,u.x=u.data.x,u.y=u.data.y;do x+=o[u.data.index];while(u=u.next)}h.value=x}function m(h,x,u,l){if(!h.value)return!0;var g=h.x-e.x,d=h.y-e.y,w=l-x,v=g*g+d*d;if(w*w/c<v)return v<a&&(g===0&&(g=D(n),v+=g*g),d===0&&(d=D(n),v+=d*d),v<s&&(v=Math.sqrt(s*v)),e.vx+=g*h.value*r/v,e.vy+=d*h.value*r/v),!0;if(h.length||v>=a)return;(h.data!==e||h.next)&&(g===0&&(g=D(n),v+=g*g),d===0&&(d=D(n),v+=d*d),v<s&&(v=Math.sqrt(s*v)));do h.data!==e&&(w=o[h.data.index]*r/v,e.vx+=g*w,e.vy+=d*w);while(h=h.next)}return f.initialize=function(h,x){t=h,n=x,p()},f.strength=function(h){return arguments.length?(i=typeof h=="function"?h:A(+h),p(),f):i},f.distanceMin=function(h){return arguments.length?(s=h*h,f):Math.sqrt(s)},f.distanceMax=function(h){return arguments.length?(a=h*h,f):Math.sqrt(a)},f.theta=function(h){return arguments.length?(c=h*h,f):Math.sqrt(c)},f}function dt(t){var e=A(.1),n,r,i;typeof t!="function"&&(t=A(t==null?0:+t));function o(a){for(var c=0,f=n.length,p;c<f;++c)p=n[c],p.vx+=(i[c]-p.x)*r[c]*a}function s(){if(n){var a,c=n.length;for(r=new Array(c),i=new Array(c),a=0;a<c;++a)r[a]=isNaN(i[a]=+t(n[a],a,n))?0:+e(n[a],a,n)}}return o.initialize=function(a){n=a,s()},o.strength=function(a){return arguments.length?(e=typeof a=="function"?a:A(+a),s(),o):e},o.x=function(a){return arguments.length?(t=typeof a=="function"?a:A(+a),s(),o):t},o}function vt(t){var e=A(.1),n,r,i;typeof t!="function"&&(t=A(t==null?0:+t));function o(a){for(var c=0,f=n.length,p;c<f;++c)p=n[c],p.vy+=(i[c]-p.y)*r[c]*a}function s(){if(n){var a,c=n.length;for(r=new Array(c),i=new Array(c),a=0;a<c;++a)r[a]=isNaN(i[a]=+t(n[a],a,n))?0:+e(n[a],a,n)}}return o.initialize=function(a){n=a,s()},o.strength=function(a){return arguments.length?(e=typeof a=="function"?a:A(+a),s(),o):e},o.y=function(a){return arguments.length?(t=typeof a=="function"?a:A(+a),s(),o):t},o}function P(t,e,...n){let r=document.createElement(t);for(let[i,o]of Object.entries(e))typeof o=="function"?r.addEventListener(i,o):typeof o=="boolean"?r.toggleAttribute(i,o):r.setAttribute(i,o);return r.append(...n.filter(i=>i!==null)),r}var mt={light:{ground:"#fbfcfe",ink:"#16202e",faint:"#66758a",grid:"#e3e8ef",link:"#8795a8",tree:"#0072B2",client:"#4c5a6d",broken:"#D55E00",halo:"#fbfcfe",select:"#e69f00",lost:"#c8102e",parts:["#cfe3f5","#fde7c3","#d3efe3","#f3dbe8","#e4e0f4","#eceec9"]},dark:{ground:"#10161f",ink:"#e8eef6",faint:"#93a3b8",grid:"#1e2835",link:"#66788f",tree:"#4aa8e0",client:"#a5b4c6",broken:"#ff8a3d",halo:"#10161f",select:"#ffc04d",lost:"#ff6b6b",parts:["#16344d","#41331a","#15402f","#402337","#2d2850","#393a17"]}};var[G,U]=[620,380],L=mt.light;function C(t,e,...n){let r=document.createElementNS("http://www.w3.org/2000/svg",t);for(let[i,o]of Object.entries(e))r.setAttribute(i,String(o));return r.append(...n),r}var et=class{constructor(e,n){this.model=e;n.append(P("div",{style:"font:13px system-ui,sans-serif;max-width:900px"},P("button",{class:"step",click:()=>e.send({do:"step"})},"step")," ",P("button",{class:"settle",click:()=>e.send({do:"settle"})},"settle")," ",this.linking,P("span",{style:`color:${L.faint}`}," Drag to arrange; click a node for what it knows, an arrow to deliver its message."),this.error,P("div",{style:"display:grid;grid-template-columns:minmax(0,2fr) minmax(0,1fr);gap:12px"},this.picture,this.knowledge),this.log))}model;bodies=new Map;picture=C("svg",{viewBox:`0 0 ${G} ${U}`,width:"100%",style:"touch-action:none"});knowledge=P("pre",{class:"knowledge"});log=P("pre",{class:"log"});error=P("p",{role:"alert",style:`color:${L.lost}`});linking=P("button",{"aria-pressed":"false",click:()=>this.beginLink()},"link, part or move");chosen="";isLinking=!1;show(){let e=this.model.get("told");this.place(e);let n=[...this.links(e),...this.messages(e),...this.nodes(e)];this.picture.replaceChildren(C("defs",{},Jt()),...n),this.error.textContent=e.error,this.log.textContent=e.log.join(`
`);let r=e.brokers.find(({name:s})=>s===this.chosen),i=e.clients.find(({name:s})=>s===this.chosen),o=r?r.knows:i?[`at ${i.broker}`,`got: ${i.got.join(" ")||"nothing"}`]:[];this.knowledge.textContent=this.chosen?[this.chosen,...o].join(`
`):""}place(e){let n=[...e.brokers,...e.clients].map(({name:s})=>s),r=n.filter(s=>!this.bodies.has(s));if(!r.length)return;r.forEach((s,a)=>this.bodies.set(s,{name:s,x:G/2+40*Math.cos(a),y:U/2+40*Math.sin(a)}));let i=n.filter(s=>!r.includes(s)),o=n.map(s=>Object.assign(this.bodies.get(s),{fx:void 0,fy:void 0}));for(let s of i)Object.assign(this.bodies.get(s),{fx:this.bodies.get(s).x,fy:this.bodies.get(s).y});gt(o).force("links",ht(yt(e).map(([s,a])=>({source:s,target:a}))).id(({name:s})=>s).distance(70)).force("apart",pt().strength(-220)).force("near",ct(26)).force("x",dt(G/2).strength(.05)).force("y",vt(U/2).strength(.09)).stop().tick(300);for(let s of o)this.keepInside(s)}keepInside(e){e.x=Math.min(G-24,Math.max(24,e.x)),e.y=Math.min(U-24,Math.max(24,e.y))}line(e,n,r){let[i,o]=[this.bodies.get(e),this.bodies.get(n)];return C("line",{x1:i.x,y1:i.y,x2:o.x,y2:o.y,...r})}links(e){let n=new Set(e.clients.map(({name:r})=>r));return yt(e).map(([r,i])=>this.line(r,i,n.has(r)?{stroke:L.client,"stroke-dasharray":"3 3"}:{stroke:L.tree,"stroke-width":3}))}messages(e){return e.pending.filter(([n,r])=>n!==r&&this.bodies.has(n)&&this.bodies.has(r)).map(([n,r])=>{let i=this.line(n,r,{stroke:L.select,"stroke-width":5,"marker-end":"url(#head)",class:"message",style:"cursor:pointer"});return i.append(C("title",{},`deliver ${n} → ${r}`)),i.addEventListener("click",()=>this.model.send({do:"step link",one:n,other:r})),i})}nodes(e){return[...e.brokers.map(({name:r,isUp:i})=>this.node(r,"B",i)),...e.clients.map(({name:r,role:i})=>this.node(r,i,!0))]}node(e,n,r){let i=this.bodies.get(e),s={fill:r?n==="B"?L.tree:n==="S"?"#009E73":L.broken:L.ground,stroke:e===this.chosen?L.select:L.ink,"stroke-width":e===this.chosen?4:1},a=n==="B"?C("rect",{x:-11,y:-11,width:22,height:22,...s}):C("circle",{r:11,...s}),c=C("text",{y:25,"text-anchor":"middle","font-size":12,fill:L.ink},e),f=C("g",{transform:`translate(${i.x} ${i.y})`,class:"node","data-name":e,style:"cursor:grab"},a,c);return f.addEventListener("pointerdown",p=>this.drag(p,i)),f}drag(e,n){e.preventDefault();let r=G/this.picture.getBoundingClientRect().width,[i,o]=[n.x,n.y],s=!1,a=f=>{let[p,y]=[f.clientX-e.clientX,f.clientY-e.clientY];s||=Math.hypot(p,y)>4,[n.x,n.y]=[i+r*p,o+r*y],this.keepInside(n),this.show()},c=()=>{removeEventListener("pointermove",a),s||this.pick(n.name)};addEventListener("pointermove",a),addEventListener("pointerup",c,{once:!0})}beginLink(){this.isLinking=this.chosen!=="",this.linking.setAttribute("aria-pressed",String(this.isLinking)),this.error.textContent=this.isLinking?`Now click whom ${this.chosen} is linked with, parted from, or moved to.`:"First click a node."}pick(e){if(this.isLinking){this.isLinking=!1,this.linking.setAttribute("aria-pressed","false"),this.model.send({do:"link",one:this.chosen,other:e});return}this.chosen=e,this.show()}};function yt(t){return[...t.brokers.filter(({parent:n})=>n!==null).map(({name:n,parent:r})=>[n,r]),...t.clients.map(({name:n,broker:r})=>[n,r])]}function Jt(){return C("marker",{id:"head",viewBox:"0 0 10 10",refX:16,refY:5,markerWidth:4,markerHeight:4,orient:"auto"},C("path",{d:"M0 0L10 5L0 10z",fill:L.select}))}function Zt({model:t,el:e}){let n=new et(t,e),r=()=>n.show();return r(),t.on("change:told",r),()=>t.off("change:told",r)}var he={render:Zt};export{he as default};
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
